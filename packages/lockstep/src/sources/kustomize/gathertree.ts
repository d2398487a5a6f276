/** The files that a kustomization needs: its directory, and in rounds the directories that it names beside it. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { directoryOf, resolvePath } from '../git/lstree.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree, TreeFile } from '../intake/sourcetree.ts'
import { isKustomization, type KustomizeProblem, kustomizeReferencesOf } from './kustomizereferences.ts'

/** Bases of bases of bases: deeper than anybody builds. */
const MAX_ROUNDS = 16

/** `read` gives the files of one directory. `more`: directories that the module itself names. */
export async function gatherTree(
  root: string,
  more: readonly string[],
  read: (directory: string) => Promise<Result<SourceTree, SourceFailure>>,
): Promise<Result<SourceTree, SourceFailure>> {
  const files = new Map<string, TreeFile>()
  const warnings: string[] = []
  const done = new Set<string>()
  let wanted = [root, ...more]
  for (let round = 0; wanted.length > 0; round++) {
    if (round > MAX_ROUNDS)
      return err(fault('RenderFailed', { place: 'kustomize', because: 'Depth', limit: MAX_ROUNDS }))
    const fresh: TreeFile[] = []
    for (const directory of wanted) {
      done.add(directory)
      const tree = await read(directory)
      // Only the module's own path has to be there: of the rest, kustomize says what it misses.
      if (!tree.ok && (tree.error.reason !== 'PathMissing' || directory === root)) return tree
      if (!tree.ok) continue
      warnings.push(...tree.value.warnings)
      for (const f of tree.value.files) if (!files.has(f.path)) fresh.push(f)
      for (const f of tree.value.files) files.set(f.path, f)
    }
    const next = outsideOf(fresh, files, done)
    if (!next.ok) return next
    wanted = next.value
  }
  return ok({ files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), warnings })
}

/** Directories that new kustomization files name and that have not been read. */
function outsideOf(
  fresh: readonly TreeFile[],
  files: ReadonlyMap<string, TreeFile>,
  done: ReadonlySet<string>,
): Result<string[], SourceFailure> {
  const wanted = new Set<string>()
  const isRead = (path: string): boolean =>
    files.has(path) || [...done].some((d) => d === '' || path === d || path.startsWith(`${d}/`))
  for (const { path, bytes } of fresh) {
    if (!isKustomization(path)) continue
    const { paths, problems } = kustomizeReferencesOf(new TextDecoder().decode(bytes))
    const first = problems[0]
    if (first) return err(problemFault(`${path}:${first.line}`, first))
    for (const reference of paths) {
      const target = resolvePath(directoryOf(path), reference)
      if (target === undefined)
        return err(fault('PathEscapes', { place: path, because: 'Outside', path: reference }))
      if (!isRead(target)) wanted.add(target)
    }
  }
  return ok([...wanted])
}

const problemFault = (place: string, { base, message }: KustomizeProblem): SourceFailure =>
  base === undefined
    ? fault('RenderFailed', { place, because: 'Tool', error: message })
    : fault('RemoteBaseRefused', { place, because: 'Base', name: base.field, url: base.url })
