/**
 * The sentence grammar: ten families, each six verbs × four objects × two orders. `{n}` is the name, `{t}` a topic,
 * `{d}` a day, `{h}` an hour, `{s}` a status; `@` is where the verb goes.
 */
export const FAMILIES = [
  'send_email',
  'follow_up',
  'reply_email',
  'create_event',
  'move_event',
  'cancel_event',
  'create_task',
  'complete_task',
  'update_customer',
  'delete_customer',
] as const;
export type Family = (typeof FAMILIES)[number];

/** One object of a family: how it reads after the verb, and with the verb last ("topicalised"). */
type Pattern = readonly [plain: string, topicalised: string];

interface FamilyGrammar {
  verbs: readonly string[];
  patterns: readonly Pattern[];
}

/** `the call with {n}` → `@ the call with {n}` and `the call with {n} : @ it`, each with its tail. */
function objects(list: readonly string[], tail = ''): Pattern[] {
  return list.map((object) => [`@ ${object}${tail}`, `${object} : @ it${tail}`]);
}

const MEETINGS = ['the meeting with {n}', 'my call with {n}', 'the {n} meeting', 'the appointment with {n}'];
const MAILING = [
  'email {n}',
  'send {n} a mail',
  'send {n} an email',
  'write to {n}',
  'send a mail to {n}',
  'write an email to {n}',
];

export const GRAMMAR: Readonly<Record<Family, FamilyGrammar>> = {
  send_email: {
    verbs: MAILING,
    patterns: ['about {t}', 'regarding {t}', 'concerning {t}', 'on {t}'].map((p) => [`@ ${p}`, `${p} : @`]),
  },
  follow_up: {
    verbs: MAILING,
    patterns: [
      ['@ about {t} and add a task', 'add a task {t} and @ about it'],
      ['@ regarding {t} and note it as a task', 'note {t} as a task and @'],
      ['@ concerning {t} and file a task', 'file a task {t} and @ too'],
      ['@ about {t} and track it', 'track {t} and @ about it'],
    ],
  },
  reply_email: {
    verbs: ['read', 'open', 'check', 'see', 'get', 'look at'],
    patterns: ['the mail from {n}', 'the mail of {n}', 'the {n} mail', 'the email from {n}'].map((p) => [
      `@ ${p} and reply ok`,
      `@ ${p} : say ok`,
    ]),
  },
  create_event: {
    verbs: [
      'book a meeting with {n}',
      'schedule a call with {n}',
      'set up a meeting with {n}',
      'plan a call with {n}',
      'book {n}',
      'schedule {n}',
    ],
    patterns: ['on {d} at {h}', 'at {h} on {d}', 'for {d} at {h}', 'at {h} for {d}'].map((p) => [
      `@ ${p}`,
      `${p} @`,
    ]),
  },
  move_event: {
    verbs: ['move', 'shift', 'push', 'reschedule', 'postpone', 'slide'],
    patterns: objects(MEETINGS, ' to {d}'),
  },
  cancel_event: {
    verbs: ['cancel', 'drop', 'call off', 'scrap', 'skip', 'strike'],
    patterns: objects(MEETINGS),
  },
  create_task: {
    verbs: ['add', 'create', 'make', 'file', 'open', 'log'],
    patterns: [
      ['@ a task {t} for {n}', 'for {n} @ a task {t}'],
      ['@ the task {t} for {n}', '{n} has to do {t} : @ the task'],
      ['@ {t} as a task for {n}', '{t} for {n} : @ a task'],
      ['@ a task for {n} : {t}', '{n} should do {t} : @ a task'],
    ],
  },
  complete_task: {
    verbs: ['finish', 'close', 'tick off', 'complete', 'check off', 'resolve'],
    patterns: objects(['the task of {n}', 'the {n} task', 'the item of {n}', 'the task for {n}']),
  },
  update_customer: {
    verbs: ['set', 'change', 'update', 'switch', 'turn', 'mark'],
    patterns: [
      ['@ customer {n} to {s}', 'customer {n} is {s} : @ it'],
      ['@ the status of {n} to {s}', 'the status of {n} is {s} : @ it'],
      ['@ {n} to {s}', '{n} is now {s} : @ the status'],
      ['@ the customer {n} to {s}', 'for customer {n} @ the status to {s}'],
    ],
  },
  delete_customer: {
    verbs: ['delete', 'remove', 'erase', 'wipe', 'purge', 'clear'],
    patterns: objects(['customer {n}', 'the customer {n}', 'the record of {n}', '{n} in the crm']),
  },
};
