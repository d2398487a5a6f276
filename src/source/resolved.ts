import type { ResolvedInput } from '../core/revision/revision.ts'
import type { Result } from '../env/result.ts'
import type { SourceFailure } from './failure.ts'
import type { Manifest } from './render.ts'

/** What a module's source is at this moment. */
export interface Resolved {
  readonly inputs: readonly ResolvedInput[]
  /** What people call it: `configMaps@sha256:…`, `inline@sha256:…`. */
  readonly sourceRevision: string
  manifests(): Result<Manifest[], SourceFailure>
}
