import { isObject, type JsonArray, type JsonValue, jsonEqual } from '@lockstep/kube/object'

/**
 * A merged list in the order of the patch; elements that the patch does not name keep their places relative to those
 * that were there before (apimachinery `strategicpatch` normalizeElementOrder).
 */
export function inListOrder(
  merged: JsonArray,
  order: JsonArray,
  before: JsonArray,
  key: string | undefined,
): JsonArray {
  const identity = (v: JsonValue): JsonValue | undefined => (key !== undefined && isObject(v) ? v[key] : v)
  const indexIn = (list: JsonArray, v: JsonValue): number =>
    list.findIndex((x) => jsonEqual(identity(x), identity(v)))
  const sorted = (list: JsonValue[], by: JsonArray): JsonValue[] =>
    list
      .map((v, i) => ({ v, i, at: indexIn(by, v) }))
      .sort((a, b) => a.at - b.at || a.i - b.i)
      .map(({ v }) => v)
  const named = sorted(
    merged.filter((v) => indexIn(order, v) >= 0),
    order,
  )
  const others = sorted(
    merged.filter((v) => indexIn(order, v) < 0),
    before,
  )
  return interleave(others, named, (v) => indexIn(before, v))
}

function interleave(others: JsonValue[], named: JsonValue[], place: (v: JsonValue) => number): JsonArray {
  const out: JsonValue[] = []
  let i = 0
  for (const v of named) {
    const at = place(v)
    for (; i < others.length && at >= 0 && place(others[i]!) >= 0 && place(others[i]!) < at; i++)
      out.push(others[i]!)
    out.push(v)
  }
  return [...out, ...others.slice(i)]
}

/** `$deleteFromPrimitiveList`: all occurrences go. */
export const withoutValues = (list: JsonArray, values: JsonArray): JsonArray =>
  list.filter((v) => !values.some((x) => jsonEqual(x, v)))
