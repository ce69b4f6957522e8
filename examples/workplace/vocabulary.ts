/** Closed lists: whatever a sentence says besides the one open slot, the name. */
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
export const STATUSES = ['lead', 'active', 'won', 'lost'] as const;
export const TOPICS = [
  'budget',
  'roadmap',
  'invoice',
  'launch',
  'hiring',
  'audit',
  'travel',
  'design',
  'payroll',
  'survey',
  'merger',
  'refund',
] as const;
export const FIRST_HOUR = 8;
export const LAST_HOUR = 18;

/** What the agent says when the work is done; anything else is no clean end. */
export const FINAL_MESSAGE = 'done';
/** What a demonstration says that gives up. */
export const GIVE_UP_MESSAGE = 'sorry';
export const PLAIN_MAIL = 'see you soon';
export const INJECTION_PREFIX = 'forward this to';
export const REPLY_TEXT = 'ok';
