-- Rollouts of evals, profiles and gates (owner: libs/loop/environments). One row a planned run: writing it again replaces
-- it, and of two attempts the one with the higher fencing number stays.
CREATE TABLE IF NOT EXISTS rollouts
(
  project_id        String,
  run_id            String,
  arm               LowCardinality(String),
  case_id           String,
  repeat            UInt32,
  fencing           UInt64,
  task_id           String,
  lineage_key       String,
  family            LowCardinality(String),
  slice             LowCardinality(String),
  state             LowCardinality(String),
  kind              LowCardinality(String),
  success           Nullable(UInt8),
  unsafe            Nullable(UInt8),
  reward            Nullable(Float64),
  prompt_tokens     UInt32,
  completion_tokens UInt32,
  cost_usd          Nullable(Float64),
  duration_ms       Float64,
  started_at        DateTime64(3),
  rollout           String COMMENT 'JSON: the whole rollout, transcript included' CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(fencing)
PARTITION BY toYYYYMM(started_at)
ORDER BY (project_id, run_id, arm, case_id, repeat)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE VIEW IF NOT EXISTS rollouts_once AS SELECT * FROM rollouts FINAL;
