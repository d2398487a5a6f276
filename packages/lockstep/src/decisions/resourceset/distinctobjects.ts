/** One object in several manifests of a set: which of them counts. And manifests that name no object. */

import { identityOf, refOf, refText } from '@lockstep/kube/object'
import type { SetMode } from '../../api/kinds/index.ts'
import { invalid, type SourceObject } from './sourceobjects.ts'

export interface ManifestProblem {
  readonly reason: 'DuplicateObject' | 'InvalidResource'
  readonly message: string
}

export interface DistinctObjects {
  /** Source by source, each object once. */
  readonly sources: readonly (readonly SourceObject[])[]
  /** Nothing is refused for them. */
  readonly warnings: readonly ManifestProblem[]
  /** While there is one, the revision is not delivered; in Reconcile, which has none, nothing of its source is. */
  readonly problems: readonly ManifestProblem[]
  /** Sources that are not delivered, by their place. */
  readonly refused: ReadonlySet<number>
}

/**
 * Over all sources in their order. ApplyOnce takes the first, as Cluster API does, whose second POST finds the object there;
 * Reconcile the last, which is what stays when one is patched over the other. Continuous has no such order, and refuses.
 */
export function distinctObjects(
  mode: SetMode,
  sources: readonly (readonly SourceObject[])[],
): DistinctObjects {
  const dropped = new Set<SourceObject>()
  const found: ManifestProblem[] = []
  const refused = new Set(
    mode === 'Reconcile' ? sources.flatMap((s, i) => (s.every(hasName) ? [] : [i])) : [],
  )
  // What is not delivered is in nobody's way.
  const delivered = sources.map((s, i) => (refused.has(i) ? [] : s))
  for (const same of byIdentity(delivered.flat().filter(hasName))) {
    if (same.length < 2) continue
    found.push({ reason: 'DuplicateObject', message: duplicateText(mode, same) })
    const kept = mode === 'ApplyOnce' ? same[0] : same.at(-1)
    for (const s of same) if (s !== kept) dropped.add(s)
  }
  const isRefused = mode === 'Continuous'
  const nameless = mode === 'ApplyOnce' ? [] : sources.flat().filter((s) => !hasName(s))
  return {
    sources: delivered.map((objects) => objects.filter((s) => !dropped.has(s))),
    refused,
    warnings: isRefused ? [] : found,
    problems: [...(isRefused ? found : []), ...nameless.map((s) => namelessProblem(mode, s))],
  }
}

function byIdentity(objects: readonly SourceObject[]): Iterable<readonly SourceObject[]> {
  const groups = new Map<string, SourceObject[]>()
  for (const s of objects) {
    const id = identityOf(refOf(s.object))
    groups.set(id, [...(groups.get(id) ?? []), s])
  }
  return groups.values()
}

/** With `generateName` alone, the server names it: each POST makes another one. */
const hasName = ({ object }: SourceObject): boolean => (object.metadata.name ?? '') !== ''

const COUNTS: Readonly<Record<SetMode, string>> = {
  ApplyOnce: 'the first counts; ',
  Reconcile: 'the last counts; ',
  Continuous: '',
}

function duplicateText(mode: SetMode, same: readonly SourceObject[]): string {
  const places = same.map((s) => s.origin).join(', and in ')
  return `${refText(refOf(same[0]!.object))} is in ${places}: ${COUNTS[mode]}leave one of them`
}

/** What is kept as it is said has to be found again; Cluster API's Reconcile asks for an object without a name, in vain. */
const namelessProblem = (mode: SetMode, { object, origin, source }: SourceObject): ManifestProblem => {
  const facts = { because: 'GenerateName', at: origin, kind: object.kind, mode } as const
  const { message } = invalid(source, facts)
  return { reason: 'InvalidResource', message }
}
