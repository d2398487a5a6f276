import type { JsonValue } from '@lockstep/kube/object'
import type { TypeRef } from './typed/atom.ts'

/** An object in one version, with its type. */
export interface Typed {
  readonly value: JsonValue
  readonly type: TypeRef
}

/** Ownership is recorded per version; objects are brought to a version before they are compared with it. */
export interface Converter {
  /** Undefined if the version is not served any more. */
  convert(object: Typed, version: string): Typed | undefined
}

/** Versions that differ in name only. */
export const sameForAllVersions: Converter = { convert: (object) => object }
