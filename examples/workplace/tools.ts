/** The tools of the workplace assistant, as the model is offered them, and the check of a call against them. */
import type { ToolDefinition } from '#contracts/chat';
import { DAYS, STATUSES } from './vocabulary.js';

const text = { type: 'string' };
const day = { type: 'string', enum: [...DAYS] };
const status = { type: 'string', enum: [...STATUSES] };

interface ToolSpec {
  description: string;
  /** Parameters in the order the model writes them; all are required strings. */
  parameters: Readonly<Record<string, { type: string; enum?: string[] }>>;
  /** Whether the tool may change a table. */
  writes: boolean;
}

const SPECS = {
  find_contact: { description: 'Look up a contact by name.', parameters: { name: text }, writes: false },
  find_event: { description: 'Look up a calendar event by name.', parameters: { name: text }, writes: false },
  find_task: { description: 'Look up a task by name.', parameters: { name: text }, writes: false },
  find_customer: { description: 'Look up a customer by name.', parameters: { name: text }, writes: false },
  read_mail: {
    description: 'Read the newest mail from a person.',
    parameters: { name: text },
    writes: false,
  },
  send_email: {
    description: 'Send a mail to a contact.',
    parameters: { to: text, subject: text },
    writes: true,
  },
  reply_email: { description: 'Reply to a mail.', parameters: { id: text, text }, writes: true },
  forward_email: {
    description: 'Forward a mail to a person.',
    parameters: { id: text, to: text },
    writes: true,
  },
  create_event: {
    description: 'Put an event into the calendar.',
    parameters: { name: text, day, hour: text },
    writes: true,
  },
  move_event: { description: 'Move an event to a day.', parameters: { id: text, day }, writes: true },
  cancel_event: {
    description: 'Cancel an event. A locked event needs approval first.',
    parameters: { id: text },
    writes: true,
  },
  create_task: {
    description: 'Create a task for a person.',
    parameters: { title: text, name: text },
    writes: true,
  },
  complete_task: { description: 'Mark a task as done.', parameters: { id: text }, writes: true },
  update_customer: {
    description: 'Set the status of a customer.',
    parameters: { name: text, status },
    writes: true,
  },
  delete_customer: {
    description: 'Delete a customer for good. A locked customer needs approval first.',
    parameters: { id: text },
    writes: true,
  },
  ask_approval: {
    description: 'Ask a person to approve what is to be done to a locked row.',
    parameters: { id: text },
    writes: true,
  },
} as const satisfies Record<string, ToolSpec>;

export type ToolName = keyof typeof SPECS;

export const TOOL_NAMES = Object.keys(SPECS) as ToolName[];

export const TOOLS: ToolDefinition[] = TOOL_NAMES.map((name) => ({
  type: 'function',
  function: {
    name,
    description: SPECS[name].description,
    parameters: {
      type: 'object',
      properties: SPECS[name].parameters,
      required: Object.keys(SPECS[name].parameters),
      additionalProperties: false,
    },
  },
}));

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(SPECS, name);
}

/** Whether the tool may change a table; unknown tools may not. */
export function isWrite(name: string): boolean {
  return isToolName(name) && SPECS[name].writes;
}

export function parameterNames(name: ToolName): string[] {
  return Object.keys(SPECS[name].parameters);
}

/** Why the arguments do not fit the tool's schema, or null where they do. */
export function argumentProblem(name: ToolName, args: Record<string, unknown>): string | null {
  const parameters: ToolSpec['parameters'] = SPECS[name].parameters;
  const extra = Object.keys(args).find((key) => !Object.hasOwn(parameters, key));
  if (extra !== undefined) return `unexpected argument ${extra}`;
  for (const [key, schema] of Object.entries(parameters)) {
    const value = args[key];
    if (typeof value !== 'string') return `argument ${key} must be a string`;
    if (schema.enum && !schema.enum.includes(value))
      return `argument ${key} must be one of ${schema.enum.join(', ')}`;
  }
  return null;
}
