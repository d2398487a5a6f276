import type { Digest, Stored } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import type { Application } from '../../decisions/clustergroup/index.ts'
import type { DependencyEdge, ModuleRef } from '../../decisions/graph/index.ts'
import type { ResolvedInput } from '../../decisions/revision/index.ts'

/** The contents of a revision that delivery needs. */
export interface RevisionRecord {
  readonly name: string
  readonly namespace: string
  readonly module: ModuleRef
  readonly revision: Digest
  readonly bundle: Digest
  readonly release: string | undefined
  readonly sourceRevision: string
  readonly number: number
  readonly createdAt: string
  /** Wall clock, milliseconds. */
  readonly publishedAt: number
  /** When a rollout of it was complete for the last time; wall clock, milliseconds. */
  readonly completedAt: number | undefined
  /** The spec without policy. */
  readonly spec: Pick<ModuleSpec, 'source' | 'render' | 'bindings' | 'apply' | 'health' | 'dependsOn'>
  readonly inputs: readonly ResolvedInput[]
  /** Digest of the values that its bindings have on every cluster alike. */
  readonly values: Digest | undefined
  /** Names that the objects of its bundle mention as `$(NAME)`. */
  readonly mentions: readonly string[]
  /** Objects of its bundle (`claimTextsOf`); undefined: it was published before ControllerRevisions recorded them. */
  readonly claims: readonly string[] | undefined
  /** Applications of a cluster group that are Modules beside this one. */
  readonly applications: readonly Application[]
  readonly edges: readonly DependencyEdge[]
  /** Metadata of the ControllerRevision. */
  readonly stored: Stored['metadata']
}
