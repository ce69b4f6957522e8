/** Files by key: adapters, logs, large payloads. */
export { ArtifactStore, type ArtifactStat, type PutOptions } from './artifact-store.js';
export { FolderArtifactStore } from './folder-store.js';
