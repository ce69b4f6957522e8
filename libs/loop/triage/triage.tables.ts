import type { ColumnType } from 'kysely';

export interface BucketsTable {
  project_id: string;
  id: string;
  agent: string;
  name: string;
  category: string;
  detail: string | null;
  status: string;
  severity: string;
  owner: string | null;
  fixed_at: Date | null;
  policies_before: ColumnType<string[], unknown, unknown>;
  created_at: Date;
  updated_at: Date;
}

export interface BucketClustersTable {
  project_id: string;
  cluster_id: string;
  bucket_id: string;
  category: string;
  detail: string | null;
  tool: string | null;
  severity: string;
  /** Number of the map edit that put it where it is; 0 where it still is where it was opened. */
  map_version: number;
  mapped_at: Date;
}

export interface BucketMapEditsTable {
  project_id: string;
  version: number;
  kind: string;
  edit: ColumnType<unknown, unknown, unknown>;
  at: Date;
}

export interface TriageTables {
  buckets: BucketsTable;
  bucket_clusters: BucketClustersTable;
  bucket_map_edits: BucketMapEditsTable;
}
