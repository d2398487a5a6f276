// The face of this folder: what others import.
export type { RepositorySnapshot } from './repositorysnapshot.ts'
