/** What an apply would change of a live object, for people. Pure. */

import {
  encodeYaml,
  isObject,
  isSecret,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  unifiedDiff,
} from '@lockstep/kube/object'
import { INVENTORY_ANNOTATION, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'

/** Ours, and said by other means where they are missing. */
const MARKS: ReadonlySet<string> = new Set([UNIT_LABEL, INVENTORY_ANNOTATION, NONCE_ANNOTATION])

/** Written by servers and controllers. */
const SERVED: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
])

/** Where client-side tools keep a whole copy of what they applied. */
const COPIES: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'kapp.k14s.io/original-diff',
])

/**
 * Lines of a unified diff, without a head; none if nothing changes. `undefined`: it is not there. Of Secrets only which
 * keys there are, and which of them change.
 */
export function objectDiff(before: KubeObject | undefined, after: KubeObject | undefined): string[] {
  const [a, b] = [before && plain(before), after && plain(after)]
  const shown = after ?? before
  return unifiedDiff(
    ...(shown && isSecret(shown)
      ? ([linesOf(masked(a, b, 'before')), linesOf(masked(b, a, 'after'))] as const)
      : ([linesOf(a), linesOf(b)] as const)),
  )
}

const linesOf = (o: JsonObject | undefined): string[] =>
  o === undefined ? [] : encodeYaml(o).replace(/\n$/, '').split('\n')

/** What people write of an object. */
function plain(o: KubeObject): JsonObject {
  const { apiVersion, kind, metadata, status: _, ...rest } = o
  const own = Object.entries(metadata).filter(([key]) => !SERVED.has(key))
  const kept = own.flatMap(([key, value]): [string, JsonValue][] => {
    if ((key !== 'labels' && key !== 'annotations') || !isObject(value)) return [[key, value as JsonValue]]
    const others = Object.entries(value).filter(([name]) => !MARKS.has(name))
    return others.length === 0 ? [] : [[key, Object.fromEntries(others) as JsonObject]]
  })
  return { apiVersion, kind, metadata: Object.fromEntries(kept), ...(rest as JsonObject) }
}

/** As `kubectl diff` does it: `***` where both sides are the same, `*** (before)` and `*** (after)` where not. */
function masked(
  o: JsonObject | undefined,
  other: JsonObject | undefined,
  side: 'before' | 'after',
): JsonObject | undefined {
  if (!o) return undefined
  const mask = (values: JsonValue | undefined, others: JsonValue | undefined, only?: ReadonlySet<string>) =>
    isObject(values)
      ? Object.fromEntries(
          Object.entries(values).map(([key, value]) => {
            if (only && !only.has(key)) return [key, value]
            const beside = isObject(others) && Object.hasOwn(others, key) ? others[key] : undefined
            return [key, beside === undefined || beside === value ? '***' : `*** (${side})`]
          }),
        )
      : values
  const metadata = o.metadata as JsonObject
  const { annotations } = metadata
  const theirs = (other?.metadata as JsonObject | undefined)?.annotations
  return {
    ...o,
    metadata: { ...metadata, ...(annotations ? { annotations: mask(annotations, theirs, COPIES) } : {}) },
    ...(o.data === undefined ? {} : { data: mask(o.data, other?.data) }),
    ...(o.stringData === undefined ? {} : { stringData: mask(o.stringData, other?.stringData) }),
  } as JsonObject
}
