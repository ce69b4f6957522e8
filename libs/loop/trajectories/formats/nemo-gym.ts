/**
 * Rollouts of NeMo Gym (NVIDIA-NeMo/Gym): `{responses_create_params, response, reward, …}` with items of OpenAI's Responses
 * API. The environment's verifier gives the reward, and all its other members tell the answer. Task rows have no response.
 */
import { contentHash } from '#kernel/ids';
import { UNKNOWN_OUTCOME } from '../domain/outcome.js';
import type { Outcome } from '../domain/contract.js';
import { definedOnly, isObject, stringOf, without } from '../domain/json.js';
import type { Fields } from './exchange.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';
import { callFacts, readResponses } from './openai-responses.js';
import { openAiUsage } from './openai-usage.js';
import { metadataOf, runOf } from './run-row.js';

export const nemoGym: Format = {
  name: 'nemo-gym',
  detects: (row) => isObject(row) && isObject(row['responses_create_params']),
  read: (row) => {
    const request = isObject(row) ? row['responses_create_params'] : undefined;
    if (!isObject(row) || !isObject(request)) throw new BadRow('the row has no `responses_create_params`');
    const { response } = row;
    if (!isObject(response) || !Array.isArray(response['output']))
      throw new BadRow('this is a task of NeMo Gym, not a rollout: it has no `response`, so no trajectory');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, request, response) };
  },
};

/** The source's own identifiers; every other member is the verifier's. */
const OWN = ['_ng_task_index', '_ng_rollout_index', 'id', 'category', 'environment_name', 'domain'] as const;

function trajectoryOf(row: Fields, request: Fields, response: Fields): RowTrajectory {
  const named = isObject(row['agent_ref']) ? stringOf(row['agent_ref']['name']) : undefined;
  const agent = named ?? stringOf(response['model']) ?? 'nemo-gym';
  const { steps, tools } = readResponses({ request, response }, { rowId: contentHash(row), agent });
  if (steps.length === 0) throw new BadRow('neither `input` nor `output` holds a message');
  const facts = without(callFacts({ request, response }), 'responseId', 'finishReasons');
  for (const step of steps) if (step.kind === 'model_call') Object.assign(step, facts);
  const reward = typeof row['reward'] === 'number' ? row['reward'] : null;
  const rest = without(row, 'responses_create_params', 'response', 'agent_ref', ...OWN);
  return runOf({
    externalId: stringOf(response['id']) ?? contentHash(row, 16),
    agent,
    outcome: outcomeOf(reward),
    reward,
    tools,
    steps,
    metadata: metadataOf(definedOnly(Object.fromEntries(OWN.map((key) => [key, row[key]]))), rest),
    // As the rollout states it: some environments sum their calls here, others repeat the last.
    usage: openAiUsage(response['usage']),
  });
}

/** 1 and more is solved, 0 and less is not; a fraction is not solved, the less surely the more it is. */
function outcomeOf(reward: number | null): Outcome {
  if (reward === null) return UNKNOWN_OUTCOME;
  const confidence = reward > 0 && reward < 1 ? 1 - reward : 1;
  return { value: reward >= 1 ? 'success' : 'failure', source: 'environment', confidence };
}
