-- Spans, the gateway's captures, and the trajectories assembled from both (owner: libs/loop/trajectories).
-- Durability and deduplication are said here, never inherited from a server's defaults.

-- One row a receipt. Identity is (project, trace, span), the newest receipt wins. Partitions follow receipt, not the
-- span's own clock: a wrong clock then cannot open thousands of them, and FINAL collapses across partitions.
-- Attributes that hold messages are lists of hashes here, their texts rows of span_messages or shared_texts of the same month.
CREATE TABLE IF NOT EXISTS spans
(
  project_id      LowCardinality(String),
  trace_id        String CODEC(ZSTD(1)),
  span_id         String CODEC(ZSTD(1)),
  parent_span_id  String CODEC(ZSTD(1)),
  received_seq    UInt64 COMMENT 'server sequence: ns of receipt, unique in a process' CODEC(Delta, ZSTD(1)),
  name            String CODEC(ZSTD(1)),
  kind            UInt8 CODEC(ZSTD(1)),
  start_ns        UInt64 CODEC(Delta, ZSTD(1)),
  end_ns          UInt64 CODEC(Delta, ZSTD(1)),
  status_code     UInt8 CODEC(ZSTD(1)),
  status_message  String CODEC(ZSTD(1)),
  scope           LowCardinality(String),
  dialect         LowCardinality(String),
  may_be_entry    UInt8 CODEC(ZSTD(1)),
  response_id     String COMMENT 'gen_ai.response.id of a model call, else empty' CODEC(ZSTD(1)),
  attributes      String COMMENT 'JSON object; null where list_attributes names one' CODEC(ZSTD(3)),
  events          String COMMENT 'JSON list' CODEC(ZSTD(3)),
  resource        String COMMENT 'JSON object' CODEC(ZSTD(3)),
  session_id      String COMMENT 'whose messages these are: the conversation, else the trace' CODEC(ZSTD(1)),
  list_attributes Array(String) COMMENT 'attributes kept as lists of hashes' CODEC(ZSTD(1)),
  list_separators Array(String) COMMENT 'between the parts of each list; empty: one text, not a list' CODEC(ZSTD(1)),
  list_hashes     Array(Array(UUID)) COMMENT 'first 128 bits of SHA-256 of each part' CODEC(ZSTD(3)),
  claims          String COMMENT 'JSON object: attribute to the artifact that holds its whole text; empty for none' CODEC(ZSTD(1)),
  INDEX response_id_bloom response_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(received_seq)
PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq)))
ORDER BY (project_id, trace_id, span_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000, index_granularity = 2048;

-- Parts of messages, each once a session and month: a growing history is stored once. Written before the spans that name
-- them. The month is that of the spans' receipt, so a dropped month takes both and nothing counts references. No window of
-- insert deduplication: a repeated insert after a month was dropped must store its rows again.
CREATE TABLE IF NOT EXISTS span_messages
(
  project_id LowCardinality(String),
  month      UInt32 COMMENT 'YYYYMM of receipt' CODEC(ZSTD(1)),
  session_id String CODEC(ZSTD(1)),
  hash       UUID CODEC(ZSTD(1)),
  content    String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY month
ORDER BY (project_id, month, session_id, hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, index_granularity = 1024;

-- What every session of an agent says again: system prompts and tool lists, each once a project and month.
CREATE TABLE IF NOT EXISTS shared_texts
(
  project_id LowCardinality(String),
  month      UInt32 COMMENT 'YYYYMM of receipt' CODEC(ZSTD(1)),
  hash       UUID CODEC(ZSTD(1)),
  content    String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY month
ORDER BY (project_id, month, hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, index_granularity = 256;

-- The one door to spans for every read and every sum: each span once.
CREATE VIEW IF NOT EXISTS spans_once AS SELECT * FROM spans FINAL;

-- What arrived when, in order of arrival: the sweep reads the newest end of it. Written with the spans, so none is forgotten.
CREATE TABLE IF NOT EXISTS span_arrivals
(
  project_id   String,
  trace_id     String,
  received_seq UInt64,
  may_be_entry UInt8
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq)))
ORDER BY (received_seq, project_id, trace_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS spans_to_arrivals TO span_arrivals AS
SELECT project_id, trace_id, max(spans.received_seq) AS received_seq, max(spans.may_be_entry) AS may_be_entry
FROM spans
GROUP BY project_id, trace_id;

-- How far each trace is assembled, and into which trajectories: those that a later assembly no longer yields are retracted.
CREATE TABLE IF NOT EXISTS trace_assemblies
(
  project_id     String,
  trace_id       String,
  through_seq    UInt64 COMMENT 'receipts up to here are in',
  entry_seen     UInt8,
  trajectory_ids Array(String),
  assembled_seq  UInt64
)
ENGINE = ReplacingMergeTree(assembled_seq)
ORDER BY (project_id, trace_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE VIEW IF NOT EXISTS trace_assemblies_once AS SELECT * FROM trace_assemblies FINAL;

-- The gateway's capture of a call: the truth about policy, tokens and time of the step with this response id.
CREATE TABLE IF NOT EXISTS model_calls
(
  project_id        String,
  response_id       String,
  agent             LowCardinality(String),
  policy            LowCardinality(String),
  agent_ref         LowCardinality(String),
  session_id        Nullable(String),
  prompt_tokens     Nullable(UInt32),
  completion_tokens Nullable(UInt32),
  cost_usd          Nullable(Float64),
  latency_ms        Float64,
  served_at_ns      UInt64,
  recorded_seq      UInt64 COMMENT 'server sequence: ns of receipt'
)
ENGINE = ReplacingMergeTree(recorded_seq)
PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(toInt64(recorded_seq)))
ORDER BY (project_id, response_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE VIEW IF NOT EXISTS model_calls_once AS SELECT * FROM model_calls FINAL;

-- One row a revision, the newest wins. The narrow columns serve sums, the steps are read by id only. Small granules: a read
-- by id touches few rows beside its own.
-- No partitions and no time in the key: a late span may move the start, and a key holds nothing an update may change.
CREATE TABLE IF NOT EXISTS trajectories
(
  project_id         String,
  trajectory_id      String,
  revision           UInt32,
  retracted          UInt8,
  stored_seq         UInt64 COMMENT 'server sequence: ns of storing',
  content_hash       String,
  external_id        String,
  source             LowCardinality(String),
  agent              String,
  agent_ref          Nullable(String),
  policy             Nullable(String),
  session_id         Nullable(String),
  trace_id           Nullable(String),
  outcome            LowCardinality(String),
  outcome_source     LowCardinality(String),
  outcome_confidence Float64,
  reward             Nullable(Float64),
  started_at_ns      UInt64,
  ended_at_ns        UInt64,
  step_count         UInt32,
  message_count      UInt32,
  model_call_count   UInt32,
  input_tokens       Nullable(UInt64),
  output_tokens      Nullable(UInt64),
  cache_read_tokens  Nullable(UInt64),
  reasoning_tokens   Nullable(UInt64),
  cost_usd           Nullable(Float64),
  tools              String COMMENT 'JSON list' CODEC(ZSTD(3)),
  metadata           String COMMENT 'JSON object' CODEC(ZSTD(3)),
  steps              String COMMENT 'JSON list' CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (project_id, trajectory_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000, index_granularity = 32;

CREATE VIEW IF NOT EXISTS trajectories_once AS SELECT * FROM trajectories FINAL WHERE retracted = 0;

-- What lists show, in the order in which they show it. Written before the row it repeats, so no trajectory is missing here.
-- A revision that starts at another time leaves a retracted row at the old one: every place tells by itself what is there.
-- Lists read the newest rows of a range and collapse them; FINAL would read the range to its end.
CREATE TABLE IF NOT EXISTS trajectory_list
(
  project_id         LowCardinality(String),
  trajectory_id      String CODEC(ZSTD(1)),
  revision           UInt32,
  retracted          UInt8,
  external_id        String CODEC(ZSTD(1)),
  source             LowCardinality(String),
  agent              String CODEC(ZSTD(1)),
  agent_ref          Nullable(String),
  policy             Nullable(String),
  session_id         Nullable(String) CODEC(ZSTD(1)),
  trace_id           Nullable(String) CODEC(ZSTD(1)),
  outcome            LowCardinality(String),
  outcome_source     LowCardinality(String),
  outcome_confidence Float64,
  reward             Nullable(Float64),
  started_at_ns      UInt64 CODEC(Delta, ZSTD(1)),
  ended_at_ns        UInt64 CODEC(Delta, ZSTD(1)),
  step_count         UInt32,
  message_count      UInt32,
  model_call_count   UInt32,
  input_tokens       Nullable(UInt64),
  output_tokens      Nullable(UInt64),
  cache_read_tokens  Nullable(UInt64),
  reasoning_tokens   Nullable(UInt64),
  cost_usd           Nullable(Float64)
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (project_id, started_at_ns, trajectory_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, index_granularity = 1024;
