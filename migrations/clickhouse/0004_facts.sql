-- What is told in parts or afterwards: Langfuse's partial events, and feedback (owner: libs/loop/trajectories).
-- Both are append-only facts under a server sequence; no key holds what a later fact may change.

-- One row an event as Langfuse's clients send it, masked. Observations and traces are assembled from all events of one id, and
-- stored as spans; these rows are the source that a later update is merged with.
CREATE TABLE IF NOT EXISTS langfuse_events
(
  project_id   LowCardinality(String),
  trace_id     String COMMENT 'the sender''s own' CODEC(ZSTD(1)),
  kind         Enum8('trace' = 1, 'observation' = 2),
  object_id    String COMMENT 'of the trace or the observation that the event tells of' CODEC(ZSTD(1)),
  event_id     String CODEC(ZSTD(1)),
  received_seq UInt64 COMMENT 'server sequence: ns of receipt' CODEC(Delta, ZSTD(1)),
  timestamp_ns UInt64 COMMENT 'the sender''s: the last one wins, field by field' CODEC(Delta, ZSTD(1)),
  type         LowCardinality(String),
  start_ns     UInt64 COMMENT '0: the event does not tell' CODEC(Delta, ZSTD(1)),
  end_ns       UInt64 COMMENT '0: the event does not tell' CODEC(Delta, ZSTD(1)),
  body         String COMMENT 'JSON object' CODEC(ZSTD(3)),
  INDEX object_id_bloom object_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(received_seq)
PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq)))
ORDER BY (project_id, trace_id, kind, object_id, event_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000, index_granularity = 1024;

CREATE VIEW IF NOT EXISTS langfuse_events_once AS SELECT * FROM langfuse_events FINAL;

-- Scores, outcomes, corrections, interventions. Identity is (project, what it is about, id), the newest receipt wins. May come
-- before the trajectory or long after it.
CREATE TABLE IF NOT EXISTS feedback
(
  project_id    LowCardinality(String),
  target_kind   LowCardinality(String) COMMENT 'trajectory, trace, session, step or response',
  target_id     String CODEC(ZSTD(1)),
  feedback_id   String CODEC(ZSTD(1)),
  step_id       String COMMENT 'the step within the target; empty for all of it' CODEC(ZSTD(1)),
  received_seq  UInt64 COMMENT 'server sequence: ns of receipt' CODEC(Delta, ZSTD(1)),
  observed_ns   UInt64 CODEC(Delta, ZSTD(1)),
  name          String CODEC(ZSTD(1)),
  value         String COMMENT 'JSON: a number, a boolean or a text' CODEC(ZSTD(1)),
  comment       Nullable(String) CODEC(ZSTD(1)),
  source        LowCardinality(String),
  authenticated Nullable(UInt8) COMMENT 'whether the user who gave it was signed in; null: not told',
  INDEX received_range received_seq TYPE minmax GRANULARITY 1,
  INDEX feedback_id_bloom feedback_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(received_seq)
PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq)))
ORDER BY (project_id, target_kind, target_id, feedback_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000, index_granularity = 1024;

CREATE VIEW IF NOT EXISTS feedback_once AS SELECT * FROM feedback FINAL;

-- How far feedback has been joined to the trajectories that were there before it.
CREATE TABLE IF NOT EXISTS feedback_progress
(
  reader      String,
  through_seq UInt64,
  noted_seq   UInt64
)
ENGINE = ReplacingMergeTree(noted_seq)
ORDER BY reader
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE VIEW IF NOT EXISTS feedback_progress_once AS SELECT * FROM feedback_progress FINAL;
