/**
 * ToolBench (OpenBMB/ToolBench): answers keyed by query id, `{query, available_tools, answer: {answer_details, final_answer}}`
 * with the run as a chain by `next`; and search trees, `{win, tree, answer_generation}`, whose training messages are the run.
 * Messages of the answers are cut at 100 characters by their source: a cut call keeps what stands of it.
 */
import { contentHash } from '#kernel/ids';
import type { Step } from '../../domain/contract.js';
import { countOf, definedOnly, isObject, stringOf, unwrapJson, without } from '../../domain/json.js';
import { toolDefinitionsOf } from '../../domain/tool-definitions.js';
import { stepsOfChat } from '../chat-steps.js';
import { BadRow, type Format, type RowTrajectory } from '../format.js';
import { metadataOf, runOf } from '../run-row.js';

type Row = Record<string, unknown>;

const AGENT = 'toolbench';

export const toolBench: Format = {
  name: 'toolbench',
  detects: (row) => isObject(row) && (isTree(row) || answerOf(row) !== undefined),
  read: (row) => {
    if (!isObject(row)) throw new BadRow('the row is not an object');
    const answer = answerOf(row);
    if (answer !== undefined) return { kind: 'trajectory', trajectory: fromAnswer(row, answer) };
    if (isTree(row)) return { kind: 'trajectory', trajectory: fromTree(row, row['answer_generation']) };
    throw new BadRow('the row has neither `answer.answer_details` nor `answer_generation`');
  },
};

function isTree(row: Row): row is Row & { answer_generation: Row } {
  return isObject(row['answer_generation']) && 'tree' in row;
}

interface Answered {
  id: string | undefined;
  query: Row;
  answer: Row;
}

/** The answer itself, or the one entry of an object keyed by query id. */
function answerOf(row: Row): Answered | undefined {
  const entries = Object.entries(row);
  const [only] = entries;
  const [id, query] = entries.length === 1 && only !== undefined ? only : [undefined, row];
  if (!isObject(query) || !isObject(query['answer'])) return undefined;
  return Array.isArray(query['answer']['answer_details'])
    ? { id, query, answer: query['answer'] }
    : undefined;
}

function fromAnswer(row: Row, { id, query, answer }: Answered): RowTrajectory {
  const rowId = contentHash(row);
  const final = finalOf(answer['final_answer']);
  return runOf({
    externalId: id ?? rowId.slice(0, 16),
    agent: AGENT,
    tools: toolDefinitionsOf(query['available_tools']),
    steps: chainOf(answer['answer_details']).map((node, index) => stepOf(node, index, rowId)),
    metadata: metadataOf(
      {
        id,
        query: query['query'],
        ...without(query, 'query', 'available_tools', 'answer'),
        ...without(answer, 'answer_details', 'final_answer'),
      },
      { return_type: final.returnType, final_answer: answer['final_answer'] },
    ),
  });
}

/** One child a node: the first is followed, whatever the depth. */
function chainOf(details: unknown): Row[] {
  const chain: Row[] = [];
  for (let nodes = details; Array.isArray(nodes) && isObject(nodes[0]); nodes = chain.at(-1)?.['next'])
    chain.push(nodes[0]);
  if (chain.length === 0) throw new BadRow('`answer.answer_details` is empty');
  return chain;
}

function stepOf(node: Row, index: number, rowId: string): Step {
  const message = typeof node['message'] === 'string' ? node['message'] : '';
  const base = { stepId: contentHash(['row', rowId, index], 24), index, sourceIndex: index, agent: AGENT };
  if (node['role'] !== 'tool') {
    const role = node['role'] === 'system' || node['role'] === 'assistant' ? node['role'] : 'user';
    return { ...base, kind: role === 'assistant' ? 'model_call' : 'message', role, content: message };
  }
  const { name, written } = toolOf(message);
  return definedOnly({
    ...base,
    kind: 'tool_call' as const,
    role: 'tool' as const,
    content: message,
    toolName: name,
    arguments: written,
  });
}

/** `{'name': '…', 'arguments': '…', 'response': '…'}` as Python writes it, cut anywhere. */
const TOOL = /^\{'name': '((?:[^'\\]|\\.)*)'(?:, 'arguments': '((?:[^'\\]|\\.)*)')?/;

function toolOf(message: string): { name: string | undefined; written: string | undefined } {
  const found = TOOL.exec(message);
  const plain = (text: string | undefined): string | undefined =>
    text?.replaceAll(/\\(n|t|'|\\)/g, (_all, char: string) => ESCAPES[char] ?? char);
  return { name: plain(found?.[1]), written: plain(found?.[2]) };
}
const ESCAPES: Record<string, string> = { n: '\n', t: '\t' };

function fromTree(row: Row, generation: Row): RowTrajectory {
  const messages = answeredMessages(generation) ?? lastBranchOf(row, generation);
  const final = finalOf(generation['final_answer']);
  return runOf({
    externalId: contentHash(row, 16),
    agent: AGENT,
    tools: toolDefinitionsOf(generation['function']),
    steps: stepsOfChat(messages, { rowId: contentHash(row), agent: AGENT }),
    metadata: metadataOf(
      {
        query: generation['query'],
        query_count: countOf(generation['query_count']),
        forward_args: row['forward_args'],
      },
      {
        win: row['win'],
        finish_type: generation['finish_type'],
        valid_data: generation['valid_data'],
        return_type: final.returnType,
        final_answer: generation['final_answer'],
      },
    ),
  });
}

/** Each list is the conversation up to one of its answers: the last one holds them all. */
function answeredMessages(generation: Row): unknown[] | undefined {
  const lists = generation['train_messages'];
  const last: unknown = Array.isArray(lists) ? lists.at(-1) : undefined;
  return Array.isArray(last) && last.length > 0 ? (last as unknown[]) : undefined;
}

/** A search that found no answer left no messages: its last branch is the run as it ended. */
function lastBranchOf(row: Row, generation: Row): unknown[] {
  const root = isObject(row['tree']) ? row['tree']['tree'] : undefined;
  const messages: Row[] = [{ role: 'user', content: generation['query'] }];
  let said: string | null = null;
  let called: string | undefined;
  for (let node: unknown = root; isObject(node); node = lastChildOf(node)) {
    const text = typeof node['description'] === 'string' ? node['description'] : '';
    if (node['node_type'] === 'Thought') said = text;
    else if (node['node_type'] === 'Action') called = text;
    else if (called !== undefined) {
      messages.push(
        { role: 'assistant', content: said, function_call: { name: called, arguments: text } },
        { role: 'function', name: called, content: node['observation'] },
      );
      said = null;
      called = undefined;
    }
  }
  if (messages.length < 2) throw new BadRow('neither `train_messages` nor `tree` holds a call');
  return messages;
}

function lastChildOf(node: Row): unknown {
  return Array.isArray(node['children']) ? node['children'].at(-1) : undefined;
}

/** JSON in a string; broken or empty in some rows, which then say nothing. */
function finalOf(value: unknown): { returnType: string | undefined } {
  const parsed = unwrapJson(value);
  return { returnType: isObject(parsed) ? stringOf(parsed['return_type']) : undefined };
}
