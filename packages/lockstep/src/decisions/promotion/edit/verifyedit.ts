/** What was changed is read again, by two readers. Only what was meant may be different. */
import { isArray, isObject, type JsonValue, jsonEqual, member } from '@lockstep/kube/object'
import type { EditTarget } from './edittarget.ts'
import { YamlSourceText } from './sourcetext.ts'
import { readDocument, type YamlDocument } from './yamldocument.ts'
import type { YamlLeaf } from './yamlnode.ts'

/** A text that begins at `base` of its file, with targets written. */
export function withTargets(text: string, targets: readonly EditTarget[], base: number): string {
  let [out, at] = ['', 0]
  for (const { start, end, after } of targets.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(at, start - base) + after
    at = end - base
  }
  return out + text.slice(at)
}

/** Whether a document differs with its targets written from what it was in those values, and in nothing else. */
export function verifyEdit(before: YamlDocument, targets: readonly EditTarget[]): boolean {
  const { part } = before
  const text = withTargets(part.text, targets, part.offset)
  const after = readDocument(new YamlSourceText('', text, ''), { ...part, text, offset: 0 })
  if (!after.ok) return false
  const found = differences(before.value ?? null, after.value.value ?? null)
  const wanted = targets.map((t) => t.value).toSorted()
  return jsonEqual(found.toSorted(), wanted) && isSameBeside(before, targets, after.value)
}

/** What stands where two values differ, in the second one; what is gone from it is null. */
function differences(a: JsonValue, b: JsonValue): JsonValue[] {
  if (jsonEqual(a, b)) return []
  if (isObject(a) && isObject(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((k) =>
      differences(member(a, k) ?? null, member(b, k) ?? null),
    )
  if (isArray(a) && isArray(b) && a.length === b.length) return a.flatMap((v, i) => differences(v, b[i]!))
  return [b]
}

/** What was left out has no place of its own. */
const scalarsOf = ({ leaves, keys }: YamlDocument): YamlLeaf[] =>
  [...leaves, ...keys].filter((leaf) => leaf.kind !== 'empty')

/** Each scalar begins where it began, moved by what was written before it; and where something was written, it is that. */
function isSameBeside(before: YamlDocument, targets: readonly EditTarget[], after: YamlDocument): boolean {
  const now = new Map(scalarsOf(after).map((leaf) => [leaf.start, leaf]))
  const pieces = targets.toSorted((a, b) => a.start - b.start)
  let [next, moved] = [0, -before.part.offset]
  for (const leaf of scalarsOf(before).toSorted((a, b) => a.start - b.start)) {
    for (; (pieces[next]?.end ?? Number.POSITIVE_INFINITY) <= leaf.start; next++)
      moved += pieces[next]!.after.length - pieces[next]!.before.length
    const again = now.get(leaf.start + moved)
    const isTarget = pieces[next]?.start === leaf.start
    if (!again || (isTarget && again.text !== pieces[next]!.value)) return false
  }
  return true
}
