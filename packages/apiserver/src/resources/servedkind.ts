import type { KubeObject } from '@lockstep/kube/object'
import type { FieldError, SchemaOps } from '../schema/schematypes.ts'
import type { StatusSubject } from '../status/apifailure.ts'
import type { ResourceTable } from '../store/resourcetable.ts'
import type { ObjectDraft } from './objectdraft.ts'
import type { ResourceInfo } from './resourceinfo.ts'

/** One version of one resource as a cluster serves it. */
export interface ServedKind {
  readonly info: ResourceInfo
  readonly table: ResourceTable
  readonly schema: SchemaOps
  readonly rules: ServedKindRules
  /** From a CustomResourceDefinition. */
  readonly custom: boolean
  /** The version in which its objects are kept. */
  readonly storageVersion: string
  /** Whether `/status` is a subresource: then the main path leaves the status alone. */
  readonly hasStatus: boolean
  /** `.spec.replicas` and the like, for `/scale`. */
  readonly scale?: ScalePaths
  /** Columns of a Table; built-in kinds have theirs in the printer's own list. */
  readonly columns?: readonly ColumnSpec[]
  /** Between this version and the stored one, where they differ in more than their name. */
  readonly conversion?: KindConversion
  /** Its definition is being deleted: nothing new is taken. */
  readonly terminating?: boolean
}

export interface KindConversion {
  toStorage(o: KubeObject): KubeObject
  fromStorage(o: KubeObject): KubeObject
}

export interface ScalePaths {
  readonly specReplicas: string
  readonly statusReplicas: string
  readonly selector?: string
}

/** A printer column as CustomResourceDefinitions write it. */
export interface ColumnSpec {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** What code, not the schema, decides about a kind: the strategies of kubernetes `pkg/registry`. */
export interface ServedKindRules {
  /** Brings values into the form in which they are kept. */
  readonly canonical?: (draft: ObjectDraft) => void
  /** Defaults that only code knows. Called on every decoded object; must be idempotent. */
  readonly defaults?: (draft: ObjectDraft) => void
  /** Before a new object is stored: generated selectors, allocated addresses, first status. */
  readonly prepareCreate?: (draft: ObjectDraft, allocate: Allocator) => void
  /** Before a change is stored: what only the server may change is put back. */
  readonly prepareUpdate?: (draft: ObjectDraft, old: KubeObject, allocate: Allocator) => void
  readonly validate?: (next: KubeObject, old: KubeObject | undefined) => FieldError[]
  /** Findings that are told between the schema's own and its invariants (`/scale` of a custom resource). */
  readonly afterSchema?: (next: KubeObject) => FieldError[]
  /** Texts for `Warning:` headers. */
  readonly warnings?: (next: KubeObject, old: KubeObject | undefined) => string[]
  /** `none`: never set. Otherwise whether the change counts. */
  readonly generation: 'none' | ((next: KubeObject, old: KubeObject) => boolean)
  /** PUT without a resourceVersion is allowed. */
  readonly unconditional: boolean
  /** PUT on an absent object creates it. */
  readonly createOnUpdate?: boolean
  /** DELETE answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Something of the object's own besides finalizers holds its deletion (a namespace's content). */
  readonly holdsDeletion?: (o: KubeObject) => boolean
  /** How a marked object says so in its status; `live` is the object before. */
  readonly markDeleted?: (marked: KubeObject, live: KubeObject, now: string) => KubeObject
  /** Seconds an object gets to end by itself, when a DELETE does not say. */
  readonly grace?: (o: KubeObject) => number
  /** Checks `metadata.name`; the findings' texts. */
  readonly name: (name: string, prefix: boolean) => string[]
  /** Fields that selectors may name besides metadata.name and metadata.namespace. */
  readonly fields?: Readonly<Record<string, (o: KubeObject) => string>>
  /** What a DELETE without a policy does to dependents. */
  readonly orphansByDefault?: boolean
}

/** Where the server takes generated values from. */
export interface Allocator {
  uuid(): string
  /** A free address of the service network. */
  clusterIp(): string
  /** A free port of the node port range. */
  nodePort(): number
}

export const resourceOf = (kind: ServedKind): StatusSubject => ({
  group: kind.info.group,
  name: kind.info.plural,
})
export const kindOf = (kind: ServedKind): StatusSubject => ({ group: kind.info.group, name: kind.info.kind })
