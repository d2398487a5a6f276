/** Manifests out of the files of a tree: what `render: plain` means for one. */
import { err, type Result } from '@lockstep/kube/env'
import { type ManifestText, renderPlain, type SourceManifest } from './renderplain.ts'
import { fault, ignorable, type SourceFailure } from './sourcefailure.ts'
import type { SourceTree } from './sourcetree.ts'

export const isManifestFile = (path: string): boolean => /\.(ya?ml|json)$/.test(path)

/** All manifest files, by path. */
export function renderFiles(tree: SourceTree): Result<SourceManifest[], SourceFailure> {
  const texts: ManifestText[] = []
  for (const { path, bytes } of tree.files) {
    if (!isManifestFile(path)) continue
    const text = decode(bytes)
    if (text === undefined) return err(fault('InvalidObject', { place: path, problem: 'not UTF-8' }))
    if (text.startsWith('version https://git-lfs'))
      return err(fault('InvalidObject', { place: path, problem: 'Git LFS pointer; LFS is not supported' }))
    texts.push({ origin: path, text })
  }
  const rendered = renderPlain(texts)
  return rendered.ok ? rendered : err(ignorable(rendered.error))
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
