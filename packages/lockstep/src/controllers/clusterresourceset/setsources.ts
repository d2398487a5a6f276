/** Sources of ClusterResourceSets as the hub has them. */

import type { Stored } from '@lockstep/kube/object'
import { accountOfSet } from '../../api/account.ts'
import type { ResourceSetSourceRef } from '../../api/kinds/index.ts'
import type { ParsedSource, SourceProblem } from '../../decisions/resourceset/index.ts'
import { parsedResource } from '../../sources/configmap/index.ts'
import { countParsed, inputVersion, observeInput } from '../cache/index.ts'
import type { SetDeps } from './setdeps.ts'

/** One of `spec.resources`. */
export type SetSource = { readonly ref: ResourceSetSourceRef } & (
  | { readonly state: 'Read'; readonly object: Stored; readonly parsed: ParsedSource }
  | { readonly state: 'Missing' }
  | { readonly state: 'Refused'; readonly object: Stored; readonly problems: readonly SourceProblem[] }
  /** It is being read, or cannot be just now. */
  | { readonly state: 'Unknown'; readonly message: string | undefined }
)

export function readSetSource(
  c: Pick<SetDeps, 'hub' | 'env'>,
  set: Pick<Stored, 'metadata'>,
  ref: ResourceSetSourceRef,
): SetSource {
  const seen = observeInput(c.hub, accountOfSet(set), ref)
  if (seen.state === 'Syncing') return { ref, state: 'Unknown', message: undefined }
  if (seen.state === 'Failed') return { ref, state: 'Unknown', message: seen.failure.message }
  if (!seen.object) return { ref, state: 'Missing' }
  // A cache has no kind on what it lists.
  const object = { ...seen.object, apiVersion: 'v1', kind: ref.kind } as Stored
  const found = parsedResource(ref.kind, seen.object, () => countParsed(c))
  return found.ok
    ? { ref, state: 'Read', object, parsed: found.value }
    : { ref, state: 'Refused', object, problems: found.error }
}

/** Another one has to stand still before it is applied; what is written beside the content is no other. */
export function setSourceVersion(s: SetSource): string {
  if (s.state === 'Read') return s.parsed.hash
  return s.state === 'Refused' ? inputVersion(s.object) : s.state
}
