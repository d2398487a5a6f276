/** What a Kustomization applies, as far as its folder is among the files that are read. */
import type { Manifest } from '../manifest.ts'
import { textAt } from '../manifest.ts'
import type { FluxSet } from '../set.ts'
import type { Unit } from '../unit.ts'

/** `./apps/`, `apps`: one folder; empty: all of the source. */
export const folderOf = (u: Unit): string =>
  (textAt(u.spec, 'path') ?? '')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/')

/** Files of kustomize itself are no content. A unit of the whole source is not looked into: every file would be of it. */
export function contentOf(set: FluxSet, u: Unit): readonly Manifest[] {
  const folder = folderOf(u)
  if (u.kind !== 'Kustomization' || folder === '') return []
  return set.manifests.filter(
    (m) => `/${m.document.file}`.includes(`/${folder}/`) && m.group !== 'kustomize.config.k8s.io',
  )
}
