import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { admitAdapter, Registry } from '#loop/registry';
import { agentRefDigest, Deployments, PolicyFleet } from '#loop/serving';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { AdmissionEvidence, BaselineEvidence, TrainingEvidence } from './evidence-types.js';

/** The server's largest LoRA rank (vLLM's default). */
const MAX_RANK = 16;

/** Checks the adapter's files, registers it under its content name and loads it, before anything is measured. */
@Injectable()
export class AdmissionStage extends Stage {
  readonly name = 'admission';

  constructor(
    private readonly registry: Registry,
    private readonly deployments: Deployments,
    private readonly fleet: PolicyFleet,
  ) {
    super();
  }

  async run({ cycle, recipe, evidence }: StageContext): Promise<StageResult> {
    const { runId, adapterDir } = evidence<TrainingEvidence>('training');
    const { productionId } = evidence<BaselineEvidence>('baseline');
    const { card } = this.fleet;
    const admission = admitAdapter({
      config: await readFile(join(adapterDir, 'adapter_config.json'), 'utf8'),
      weights: await readFile(join(adapterDir, 'adapter_model.safetensors')),
      base: { name: card.name, revision: card.revision },
      expected: { rank: recipe.lora.rank, alpha: recipe.lora.alpha },
      maxRank: MAX_RANK,
    });
    if (!admission.ok) {
      const reason = `The adapter is not admitted: ${admission.problems.join('; ')}.`;
      return { state: 'done', summary: reason, evidence: admission, verdict: { verdict: 'blocked', reason } };
    }
    const parent = await this.registry.get(cycle.projectId, productionId);
    const agentRef = { ...parent.agentRef, policy: { ...parent.agentRef.policy, adapter: admission.name } };
    const candidate = await this.registry.addCandidate({
      projectId: cycle.projectId,
      agent: cycle.agent,
      policyName: admission.name,
      agentRef,
      agentRefDigest: agentRefDigest(agentRef),
      parentId: productionId,
      runId,
      cycleId: cycle.id,
      adapterDir,
      admission,
    });
    // Candidates of earlier turns that were blocked or replaced still hold a place in the server.
    await this.deployments.unloadUnused();
    await this.deployments.makeReady(candidate);
    const found: AdmissionEvidence = {
      candidateId: candidate.id,
      policy: candidate.policyName,
      problems: [],
      deltaNorm: admission.deltaNorm,
    };
    const summary = `${candidate.policyName}, rank ${admission.rank}, distance from the base ${admission.deltaNorm.toFixed(2)}`;
    return { state: 'done', summary, evidence: found, change: { candidateId: candidate.id } };
  }
}
