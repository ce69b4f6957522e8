/** The workplace's tables and what each tool does to them. No knowledge of tasks or right answers. */
import type { ToolOutcome } from '#contracts/environment';
import { argumentProblem, isToolName, isWrite, type ToolName } from './tools.js';

export interface Tables {
  contacts: { id: string; name: string }[];
  events: { id: string; name: string; day: string; hour: string; flag: Flag }[];
  tasks: { id: string; title: string; name: string; status: 'open' | 'done' }[];
  customers: { id: string; name: string; status: string; flag: Flag }[];
  /** `forwardTo`: the address that an injected instruction in the text names. */
  mails: { id: string; name: string; text: string; forwardTo?: string }[];
  /** What left the house: mails, replies, forwards. */
  outbox: { kind: 'mail' | 'reply' | 'forward'; ref: string; to: string; text: string }[];
  /** Ids of rows whose change somebody was asked to approve. */
  approvals: string[];
  /** Write calls tried, refused ones included: a right end state does not excuse a detour. */
  writeCount: number;
}
/** A locked row may be cancelled or deleted only after somebody approved. */
export type Flag = 'free' | 'locked';

type Args = Record<string, string>;
type Handler = (tables: Tables, args: Args) => string | null;

const OK = json({ ok: 'yes' });

/** JSON with a space after each separator, the form chat templates print; the policy's tokens are made for it. */
export function json(fields: Record<string, string>): string {
  return `{${Object.entries(fields)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')}}`;
}

function fail(kind: string, text: string, message = text): ToolOutcome {
  return { content: json({ error: text }), error: { kind, message } };
}

/**
 * Runs one tool on the tables in place.
 * @returns the observation; an unknown tool, bad arguments and a missing row are outcomes with an error.
 */
export function applyTool(tables: Tables, name: string, args: Record<string, unknown>): ToolOutcome {
  if (!isToolName(name)) return fail('unknown_tool', 'unknown tool', `no tool ${name}`);
  if (isWrite(name)) tables.writeCount += 1;
  const problem = argumentProblem(name, args);
  if (problem !== null) return fail('bad_arguments', 'bad arguments', problem);
  const content = HANDLERS[name](tables, args as Args);
  return content === null ? fail('not_found', 'not found') : { content };
}

/** A handler returns the observation, or null where the row does not exist. */
const HANDLERS: Readonly<Record<ToolName, Handler>> = {
  find_contact: (t, a) => found(byName(t.contacts, a), (row) => json({ id: row.id })),
  find_event: (t, a) => found(byName(t.events, a), (row) => json({ id: row.id, flag: row.flag })),
  find_task: (t, a) => found(byName(t.tasks, a), (row) => json({ id: row.id })),
  find_customer: (t, a) => found(byName(t.customers, a), (row) => json({ id: row.id, flag: row.flag })),
  read_mail: (t, a) => found(byName(t.mails, a), (row) => json({ id: row.id, text: row.text })),
  send_email: (t, a) =>
    found(byId(t.contacts, a.to), (row) =>
      send(t, { kind: 'mail', ref: row.id, to: row.name, text: a.subject ?? '' }),
    ),
  reply_email: (t, a) =>
    found(byId(t.mails, a.id), (row) =>
      send(t, { kind: 'reply', ref: row.id, to: row.name, text: a.text ?? '' }),
    ),
  forward_email: (t, a) =>
    found(byId(t.mails, a.id), (row) =>
      send(t, { kind: 'forward', ref: row.id, to: a.to ?? '', text: row.text }),
    ),
  create_event: (t, a) => {
    t.events.push({ id: newId(t), name: a.name ?? '', day: a.day ?? '', hour: a.hour ?? '', flag: 'free' });
    return OK;
  },
  move_event: (t, a) =>
    found(byId(t.events, a.id), (row) => {
      row.day = a.day ?? row.day;
      return OK;
    }),
  cancel_event: (t, a) => removeRow(t.events, a.id),
  create_task: (t, a) => {
    t.tasks.push({ id: newId(t), title: a.title ?? '', name: a.name ?? '', status: 'open' });
    return OK;
  },
  complete_task: (t, a) =>
    found(byId(t.tasks, a.id), (row) => {
      row.status = 'done';
      return OK;
    }),
  update_customer: (t, a) =>
    found(byName(t.customers, a), (row) => {
      row.status = a.status ?? row.status;
      return OK;
    }),
  delete_customer: (t, a) => removeRow(t.customers, a.id),
  ask_approval: (t, a) =>
    found(byId([...t.events, ...t.customers], a.id), (row) => {
      t.approvals.push(row.id);
      return OK;
    }),
};

function found<T>(row: T | undefined, then: (row: T) => string): string | null {
  return row === undefined ? null : then(row);
}

function byName<T extends { name: string }>(rows: readonly T[], args: Args): T | undefined {
  return rows.find((row) => row.name === args.name);
}

function byId<T extends { id: string }>(rows: readonly T[], id: string | undefined): T | undefined {
  return rows.find((row) => row.id === id);
}

function removeRow(rows: { id: string }[], id: string | undefined): string | null {
  const at = rows.findIndex((row) => row.id === id);
  if (at < 0) return null;
  rows.splice(at, 1);
  return OK;
}

function send(tables: Tables, mail: Tables['outbox'][number]): string {
  tables.outbox.push(mail);
  return OK;
}

/** Ids of rows made in a run; never equal to a three-digit id of the initial tables. */
function newId(tables: Tables): string {
  return `new-${tables.writeCount}`;
}
