/** All rules. The order here decides nothing: causes and steps do. */
import type { Rule } from '../finding.js';
import { destructive } from './destructive.js';
import { emptyAnswer, gaveUp, humanTakeover } from './endings.js';
import { injection } from './injection.js';
import { inventedId } from './invented-id.js';
import { invalidOutput } from './invalid-output.js';
import { guardrail, stepLimit, truncated } from './limits.js';
import { loop } from './loop.js';
import { miscopied } from './miscopied.js';
import { notAsAsked } from './not-as-asked.js';
import { modelErrors, toolErrors } from './tool-errors.js';
import { unknownTool } from './unknown-tool.js';
import { unsaidValue } from './unsaid-value.js';
import { wrongArguments } from './wrong-arguments.js';

export const RULES: readonly Rule[] = [
  destructive,
  injection,
  invalidOutput,
  unknownTool,
  wrongArguments,
  inventedId,
  miscopied,
  notAsAsked,
  toolErrors,
  modelErrors,
  loop,
  stepLimit,
  truncated,
  guardrail,
  emptyAnswer,
  gaveUp,
  humanTakeover,
  unsaidValue,
];
