/** Parts of manifests, whose types nobody has checked. */
import { isArray, isString, type JsonValue } from '@lockstep/kube/object'

export const manifestValues = (v: JsonValue | undefined): readonly JsonValue[] => (isArray(v) ? v : [])

/** A name that is given; an empty one is none. */
export const manifestName = (v: JsonValue | undefined): string | undefined =>
  isString(v) && v !== '' ? v : undefined
