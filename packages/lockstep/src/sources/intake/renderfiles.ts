/** Manifests out of the files of a tree: what `render: plain` means for one. */
import { err, type Result } from '@lockstep/kube/env'
import { utf8Text } from '@lockstep/kube/object'
import { type ManifestText, renderPlain, type SourceManifest } from './renderplain.ts'
import { fault, ignorable, type SourceFailure } from './sourcefailure.ts'
import type { SourceTree } from './sourcetree.ts'

export const isManifestFile = (path: string): boolean => /\.(ya?ml|json)$/.test(path)

/** All manifest files, by path. */
export function renderFiles(tree: SourceTree): Result<SourceManifest[], SourceFailure> {
  const texts: ManifestText[] = []
  for (const { path, bytes } of tree.files) {
    if (!isManifestFile(path)) continue
    const read = utf8Text(bytes)
    if ('problem' in read) return err(fault('InvalidObject', { place: path, problem: read.problem }))
    if (read.text.startsWith('version https://git-lfs'))
      return err(fault('InvalidObject', { place: path, problem: 'Git LFS pointer; LFS is not supported' }))
    texts.push({ origin: path, text: read.text })
  }
  const rendered = renderPlain(texts)
  return rendered.ok ? rendered : err(ignorable(rendered.error))
}
