import type { EventLog } from '#platform/stream';

/** The log between collector and ingest, where the deployment has one. The app provides it. */
export class StreamLink {
  constructor(readonly log: EventLog | null) {}
}
