import { Injectable } from '@nestjs/common';
import { GateEvidence, type GatePolicy } from '#contracts/gate';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { ArtifactStore } from '#platform/artifacts';
import { judge } from './domain/judge.js';
import { GatesRepository, type StoredGateReport } from './gates.repository.js';

export interface GateRequest {
  id: string;
  projectId: string;
  agent: string;
  candidateId: string;
  cycleId: string | null;
  evidence: GateEvidence;
  policy: GatePolicy;
}

/** Judges and keeps the report. The judging itself is `domain/judge`: pure, so a stored report can be made again. */
@Injectable()
export class Gates {
  constructor(
    private readonly repository: GatesRepository,
    private readonly artifacts: ArtifactStore,
    private readonly clock: Clock,
  ) {}

  /** Judges once per id: a repeated request answers with the report that exists. */
  async decide(request: GateRequest): Promise<StoredGateReport> {
    const existing = await this.repository.find(request.projectId, request.id);
    if (existing) return existing;
    const { evidence, ...rest } = request;
    const report = judge(GateEvidence.parse(evidence), request.policy);
    // The evidence is kept whole beside the report, so that the verdict can be made again from it.
    await this.artifacts.put(
      evidenceKey(request.id, report.evidenceDigest),
      Buffer.from(JSON.stringify(evidence)),
    );
    await this.repository.insertIfAbsent({ ...rest, report, createdAt: this.clock.now().toISOString() });
    return this.get(request.projectId, request.id);
  }

  /** @throws AppError resource.not_found */
  async get(projectId: string, id: string): Promise<StoredGateReport> {
    const report = await this.repository.find(projectId, id);
    if (report) return report;
    throw new AppError('resource.not_found', { public: `There is no gate report ${id}.` });
  }

  list(projectId: string, page: { limit: number; before: string | null }): Promise<StoredGateReport[]> {
    return this.repository.list(projectId, page);
  }
}

/** Artifact of the evidence that a report was made from. */
export function evidenceKey(reportId: string, evidenceDigest: string): string {
  return `gates/${reportId}/${evidenceDigest}.json`;
}
