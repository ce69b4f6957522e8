export const DEMO_PROJECT = 'default';
/** As the agent program names itself in its spans. */
export const DEMO_AGENT = 'workplace-assistant';
