/**
 * Strategy `name`: a checkpoint gets another name at each release, its dependants follow. Where the name is not there
 * yet, they wait. Its objects get the name too: the old checkpoint takes its own with it when it is removed.
 */

import { at, type Digest, short10 } from '@lockstep/kube/object'
import { BASE_NAME_ANNOTATION, CHECKPOINT_LABEL } from '../../api/labels.ts'
import { labelOf } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { authorsSuffix } from './gatedigests.ts'
import type { ManifestDraft } from './manifestdraft.ts'
import { type PostRenderNote, postRenderNote } from './postrendernote.ts'
import { baseNameOf } from './versionsources.ts'

/** Flux writes the name of a unit into a label. */
const MAX_NAME = 63

export const isCheckpoint = (u: FluxUnit): boolean => labelOf(u.manifest, CHECKPOINT_LABEL) === 'true'

/** Only a checkpoint may be renamed: whoever renames what owns objects deletes or leaks them. */
export function nameNotes(set: FluxSet): PostRenderNote[] {
  return set.units.flatMap((unit) =>
    unit.edges.flatMap((edge) => {
      const to = set.dependency(unit, edge)
      if (!to || (isCheckpoint(to) && to.kind === 'Kustomization')) return []
      const owns = to.kind === 'HelmRelease' ? 'a release' : 'objects'
      return [postRenderNote('error', 'PR11', { unit: unitText(to), owns }, unit.manifest, edge.path)]
    }),
  )
}

export function gateByName(
  set: FluxSet,
  draft: ManifestDraft,
  digests: ReadonlyMap<FluxUnit, Digest>,
): PostRenderNote[] {
  const notes: PostRenderNote[] = []
  const named = (u: FluxUnit): string => `${baseNameOf(u)}-${short10(digests.get(u)!)}`
  for (const unit of set.units) {
    const { manifest } = unit
    for (const edge of unit.edges) {
      const to = set.dependency(unit, edge)
      if (to) draft.set(manifest, [...edge.path, 'name'], named(to))
    }
    if (!isCheckpoint(unit) || unit.kind !== 'Kustomization' || set.dependants(unit).length === 0) continue
    const [from, to] = [baseNameOf(unit), named(unit)]
    if (to.length > MAX_NAME)
      notes.push(
        postRenderNote(
          'error',
          'PR03',
          { what: unitText(unit), name: to, limit: String(MAX_NAME) },
          manifest,
        ),
      )
    const theirs = authorsSuffix(unit, at(draft.spec(manifest), 'nameSuffix')) ?? ''
    draft.set(manifest, ['metadata', 'name'], to)
    draft.set(manifest, ['metadata', 'annotations', BASE_NAME_ANNOTATION], from)
    draft.set(manifest, ['spec', 'nameSuffix'], `${theirs}${to.slice(from.length)}`)
  }
  return notes
}
