/** The table of import formats, the most particular first: `auto` takes the first that knows a row. */
import { AppError } from '#kernel/errors';
import type { Format } from './format.js';
import { anthropic } from './anthropic.js';
import { atif } from './atif.js';
import { jsonl } from './jsonl.js';
import { langfuse } from './langfuse.js';
import { nemoGym } from './nemo-gym.js';
import { openAiChat } from './openai-chat.js';
import { openAiResponses } from './openai-responses.js';
import { otlpJson } from './otlp-json.js';
import { agentDojo } from './benchmarks/agentdojo.js';
import { asseBench } from './benchmarks/assebench.js';
import { mint } from './benchmarks/mint.js';
import { tauBench } from './benchmarks/tau-bench.js';
import { toolBench } from './benchmarks/toolbench.js';
import { whoAndWhen } from './benchmarks/who-and-when.js';
import { miniSweAgent } from './mini-swe-agent.js';
import { sweAgent } from './swe-agent.js';

export const FORMATS: readonly Format[] = [
  otlpJson,
  jsonl,
  atif,
  langfuse,
  tauBench,
  agentDojo,
  whoAndWhen,
  asseBench,
  mint,
  toolBench,
  sweAgent,
  miniSweAgent,
  nemoGym,
  openAiResponses,
  anthropic,
  openAiChat,
];
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

/** null means `auto`: each row finds its own. @throws AppError request.invalid naming the formats there are. */
export function formatNamed(name: string): Format | null {
  if (name === 'auto') return null;
  const format = FORMATS.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  throw new AppError('request.invalid', {
    public: `There is no import format ${name}. Use auto or one of ${FORMAT_NAMES.join(', ')}.`,
  });
}
