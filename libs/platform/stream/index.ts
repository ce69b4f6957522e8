/** The stream of events between stages. */
export {
  defineTopic,
  EventStream,
  type BatchHandler,
  type StreamMessage,
  type Topic,
} from './event-stream.js';
export { DEAD_LETTER_TOPIC, deadLetter, replayDeadLetters, type Replayed } from './dead-letter.js';
export {
  EventLog,
  type ConsumeOptions,
  type Consumption,
  type LogRange,
  type LogRecord,
  type PartitionLag,
  type RangeHandler,
  type StoredRecord,
} from './event-log.js';
export { KafkaEventLog, type KafkaLogOptions } from './kafka-log.js';
export { LogEventStream } from './log-stream.js';
export type { TopicSettings } from './kafka-topics.js';
export { InProcessEventStream, type InProcessOptions } from './in-process-stream.js';
