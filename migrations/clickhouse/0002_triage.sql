-- Failures found in trajectories, and how far triage is (owner: libs/loop/triage).

-- Identity is (project, trajectory, failure id); the newest finding wins, the detector's version is data. A new revision
-- of a trajectory that no longer shows a failure retracts it. Read paths: failures of a trajectory; a project's newest.
CREATE TABLE IF NOT EXISTS failures
(
  project_id       String,
  trajectory_id    String,
  id               String,
  recorded_seq     UInt64 COMMENT 'ns of recording',
  retracted        UInt8,
  revision         UInt32 COMMENT 'of the trajectory it was found in',
  agent            String,
  policy           Nullable(String) COMMENT 'that served the trajectory',
  category         LowCardinality(String),
  detail           LowCardinality(String) COMMENT 'empty where there is none',
  tool             String COMMENT 'empty where none is concerned',
  step_id          String,
  step_index       UInt32,
  severity         LowCardinality(String),
  confidence       Float64,
  detector_name    LowCardinality(String),
  detector_version LowCardinality(String),
  evidence         String CODEC(ZSTD(3)),
  root_cause       UInt8,
  cluster_id       String,
  observed_at_ns   UInt64
)
ENGINE = ReplacingMergeTree(recorded_seq)
ORDER BY (project_id, trajectory_id, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

CREATE VIEW IF NOT EXISTS failures_once AS SELECT * FROM failures FINAL WHERE retracted = 0;

-- One row a triaged revision: what has none is pending, so a killed process leaves nothing behind.
CREATE TABLE IF NOT EXISTS triage_states
(
  project_id    String,
  trajectory_id String,
  revision      UInt32,
  triaged_seq   UInt64 COMMENT 'ns of triage',
  state         LowCardinality(String) COMMENT 'done or failed',
  rules_version LowCardinality(String),
  failures      UInt32,
  note          String COMMENT 'why it failed, or which rules broke'
)
ENGINE = ReplacingMergeTree(triaged_seq)
ORDER BY (project_id, trajectory_id, revision)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

CREATE VIEW IF NOT EXISTS triage_states_once AS SELECT * FROM triage_states FINAL;
