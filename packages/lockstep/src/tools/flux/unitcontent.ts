/** What a Kustomization applies, as far as its folder is among the files that are read. */
import type { FluxManifest } from './fluxmanifest.ts'
import { textAt } from './fluxmanifest.ts'
import type { FluxSet } from './fluxset.ts'
import type { FluxUnit } from './fluxunit.ts'

/** `./apps/`, `apps`: one folder; empty: all of the source. */
export const folderOf = (u: FluxUnit): string =>
  (textAt(u.spec, 'path') ?? '')
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/')

/** Manifests by the file that they are in. */
export type FluxFiles = ReadonlyMap<string, readonly FluxManifest[]>

export function filesOf(set: FluxSet): FluxFiles {
  const files = new Map<string, FluxManifest[]>()
  for (const m of set.manifests) {
    const there = files.get(m.document.file)
    if (there) there.push(m)
    else files.set(m.document.file, [m])
  }
  return files
}

/** Files of kustomize itself are no content. A unit of the whole source is not looked into: every file would be of it. */
export function unitContent(files: FluxFiles, u: FluxUnit): readonly FluxManifest[] {
  const folder = folderOf(u)
  if (u.kind !== 'Kustomization' || folder === '') return []
  const inside = [...files].flatMap(([file, manifests]) =>
    `/${file}`.includes(`/${folder}/`) ? manifests : [],
  )
  return inside.filter((m) => m.group !== 'kustomize.config.k8s.io')
}
