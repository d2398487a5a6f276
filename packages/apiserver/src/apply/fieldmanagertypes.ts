import type { Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import type { SchemaOps } from '../schema/schematypes.ts'

/** Who writes, as `metadata.managedFields` tells writers apart. */
export interface Writer {
  readonly manager: string
  readonly subresource?: string
  /** RFC 3339, whole seconds. */
  readonly time: string
}

export interface ApplyInput {
  /** The live object, undefined if there is none. */
  readonly live: KubeObject | undefined
  /** The applied configuration, complete with apiVersion, kind and metadata.name. */
  readonly config: KubeObject
  readonly writer: Writer
  readonly force: boolean
  readonly schema: SchemaOps
  /** Paths that this endpoint never owns, e.g. [['status']] on the main path of a kind with a status subresource. */
  readonly reset: readonly (readonly string[])[]
  /** What the endpoint serves; the configuration must be of it. Default: what the live object is. */
  readonly served?: { readonly apiVersion: string; readonly kind: string }
  readonly versions?: VersionConverter
}

/**
 * Brings an object to another version of its group. Needed where one kind is served in several versions: ownership is
 * recorded per version and compared after conversion. Without one, versions differ in name only. What it throws passes
 * through, so that a caller may convert outside and try again.
 */
export interface VersionConverter {
  /** Undefined: the version is not served any more, what is owned in it is dropped. */
  convert(object: KubeObject, apiVersion: string): { object: KubeObject; schema: SchemaOps } | undefined
}

export interface UpdateInput {
  readonly live: KubeObject | undefined
  /** As it will be stored, with the managedFields that the request gave. */
  readonly next: KubeObject
  readonly writer: Writer
  readonly schema: SchemaOps
  readonly reset: readonly (readonly string[])[]
  readonly versions?: VersionConverter
}

/** Others own what the applier wants to change. `path` as in the message: `.spec.ports[port=80].name`. */
export interface FieldConflict {
  /** `"m"`, with `subresource "status"` and `using G/V` as kube-apiserver writes it. */
  readonly manager: string
  readonly path: string
}

export type ApplyFailure =
  | { readonly kind: 'Conflict'; readonly conflicts: readonly FieldConflict[]; readonly message: string }
  /** The configuration does not fit the schema (unknown field, duplicate list key): a 500 of kube-apiserver. */
  | { readonly kind: 'Typed'; readonly message: string }
  | { readonly kind: 'BadRequest'; readonly message: string }

export interface FieldManager {
  /**
   * Server-side apply: merges, prunes what the manager owned and nobody owns now, finds conflicts. `changed` is
   * false for a no-op: then `object` is the live object itself, managedFields and their times included. Fields that went
   * with everything in them are null; the schema's defaults drop them.
   */
  apply(input: ApplyInput): Result<{ object: KubeObject; changed: boolean }, ApplyFailure>
  /**
   * Any other write: `next` is the object as it will be stored. Returns it with managedFields: changed and added
   * fields go to the updater, removed ones leave every set.
   */
  update(input: UpdateInput): KubeObject
}
