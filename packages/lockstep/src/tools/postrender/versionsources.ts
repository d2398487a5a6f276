/**
 * Sources are versioned by name. A source that is changed in place keeps its old artifact for a while, and an old unit
 * may meet the new one; a new source has no artifact until its own is fetched, and old units go on with the old one.
 */

import { digestOf, short10 } from '@lockstep/kube/object'
import { BASE_NAME_ANNOTATION } from '../../api/labels.ts'
import { annotationOf, textAt } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import type { FluxSource } from '../flux/fluxsource.ts'
import { unitText } from '../flux/fluxunit.ts'
import { sourceReferencesOf } from '../flux/sourcereferences.ts'
import type { ManifestDraft } from './manifestdraft.ts'
import { type PostRenderNote, postRenderNote } from './postrendernote.ts'

/** The longest name of an object. */
const MAX_NAME = 253
const VERSIONED = ['GitRepository', 'OCIRepository', 'Bucket']

export interface SourceOptions {
  readonly namespace: string
  /** Names that stay: others than this set use them. */
  readonly keep: readonly string[]
}

/** One renamed source: what it is called in the chart, and by now. */
export interface RenamedSource {
  readonly kind: string
  readonly namespace: string
  readonly from: string
  readonly to: string
}

/** What the author calls it. */
export const baseNameOf = (s: {
  readonly name: string
  readonly manifest: FluxSource['manifest']
}): string => {
  const base = annotationOf(s.manifest, BASE_NAME_ANNOTATION)
  // Whoever copies an object with its annotations and gives it another name means the other name.
  return base !== undefined && s.name.startsWith(`${base}-`) ? base : s.name
}

/** Renames what units of the set read, and everything in it that refers to these sources. */
export function versionSources(
  set: FluxSet,
  draft: ManifestDraft,
  o: SourceOptions,
): { renamed: RenamedSource[]; notes: PostRenderNote[] } {
  const used = new Set(set.units.flatMap((u) => (u.source && set.source(u.manifest, u.source)) ?? []))
  const renamed: RenamedSource[] = []
  const notes: PostRenderNote[] = []
  const done = new Set<FluxSource>()
  const visit = (s: FluxSource): void => {
    if (done.has(s)) return
    done.add(s)
    // What it includes first: its own content, and so its name, depends on theirs.
    const references = sourceReferencesOf(s.manifest, o.namespace)
    for (const r of references) {
      const other = set.source(s.manifest, r)
      if (other) visit(other)
    }
    follow(set, draft, s.manifest, o.namespace)
    if (!VERSIONED.includes(s.kind) || o.keep.includes(baseNameOf(s))) return
    rename(s, draft, renamed, notes)
  }
  for (const s of set.sources) if (used.has(s)) visit(s)
  for (const m of set.manifests) follow(set, draft, m, o.namespace)
  for (const name of o.keep)
    if (set.sources.length > 0 && !set.sources.some((s) => baseNameOf(s) === name))
      notes.push(postRenderNote('warning', 'PR08', { name }, set.sources[0]!.manifest))
  return { renamed, notes }
}

function rename(
  s: FluxSource,
  draft: ManifestDraft,
  renamed: RenamedSource[],
  notes: PostRenderNote[],
): void {
  const from = baseNameOf(s)
  const to = `${from}-${short10(digestOf('flux-source/1', draft.spec(s.manifest)))}`
  if (to.length > MAX_NAME)
    notes.push(
      postRenderNote('error', 'PR03', { what: unitText(s), name: to, limit: String(MAX_NAME) }, s.manifest),
    )
  renamed.push({ kind: s.kind, namespace: s.namespace, from, to })
  if (to === s.name) return
  draft.set(s.manifest, ['metadata', 'name'], to)
  draft.set(s.manifest, ['metadata', 'annotations', BASE_NAME_ANNOTATION], from)
}

/** An object's references, to what the sources are called by now. */
function follow(set: FluxSet, draft: ManifestDraft, m: FluxSource['manifest'], namespace: string): void {
  for (const r of sourceReferencesOf(m, namespace)) {
    const to = set.source(m, r)
    const name = to && textAt(draft.of(to.manifest), 'metadata', 'name')
    if (name !== undefined && name !== r.name) draft.set(m, r.path, name)
  }
}
