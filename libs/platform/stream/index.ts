/** The stream of events between stages. */
export {
  defineTopic,
  EventStream,
  type BatchHandler,
  type StreamMessage,
  type Topic,
} from './event-stream.js';
export { InProcessEventStream, type InProcessOptions } from './in-process-stream.js';
