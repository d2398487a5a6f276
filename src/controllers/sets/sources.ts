/** Sources of ClusterResourceSets as the hub has them, each parsed once a version. */

import type { Stored } from '../../api/kind.ts'
import type { SourceRef } from '../../api/kinds/resourceset.ts'
import { type ParsedSource, parseSource, type SourceProblem } from '../../core/resourceset/values.ts'
import type { Result } from '../../env/result.ts'
import type { KubeObject } from '../../object/object.ts'
import type { Hub } from '../hub.ts'
import { seenInput, versionOf } from '../inputs.ts'

/** One of `spec.resources`. */
export type SourceSeen = { readonly ref: SourceRef } & (
  | { readonly state: 'Read'; readonly object: Stored; readonly parsed: ParsedSource }
  | { readonly state: 'Missing' }
  | { readonly state: 'Refused'; readonly object: Stored; readonly problems: readonly SourceProblem[] }
  /** It is being read, or cannot be just now. */
  | { readonly state: 'Unknown'; readonly message: string | undefined }
)

type Parsed = Result<ParsedSource, readonly SourceProblem[]>

export class SetSources {
  private readonly hub: Hub
  /** By kind, namespace and name: what came of which version. */
  private readonly parsed = new Map<string, { readonly version: string; readonly found: Parsed }>()

  constructor(hub: Hub) {
    this.hub = hub
  }

  see(namespace: string, ref: SourceRef): SourceSeen {
    const seen = seenInput(this.hub, namespace, ref)
    if (seen.state === 'Syncing') return { ref, state: 'Unknown', message: undefined }
    if (seen.state === 'Failed') return { ref, state: 'Unknown', message: seen.failure.message }
    const key = `${ref.kind} ${namespace}/${ref.name}`
    if (!seen.object) {
      this.parsed.delete(key)
      return { ref, state: 'Missing' }
    }
    // A cache has no kind on what it lists.
    const object = { ...seen.object, apiVersion: 'v1', kind: ref.kind } as Stored
    const found = this.parse(key, versionOf(seen.object), object)
    if (!found.ok) return { ref, state: 'Refused', object, problems: found.error }
    return { ref, state: 'Read', object, parsed: found.value }
  }

  private parse(key: string, version: string, object: KubeObject): Parsed {
    const known = this.parsed.get(key)
    if (known?.version === version) return known.found
    const found = parseSource(object)
    this.parsed.set(key, { version, found })
    return found
  }
}

/** Another one has to stand still before it is applied; what is written beside the content is no other. */
export function seenVersion(s: SourceSeen): string {
  if (s.state === 'Read') return s.parsed.hash
  return s.state === 'Refused' ? versionOf(s.object) : s.state
}
