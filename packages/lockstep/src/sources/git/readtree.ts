/** A directory of a commit as a tree: links become copies, submodules and links that lead out do not come in. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree, TreeFile } from '../intake/sourcetree.ts'
import type { GitMirror } from './gitmirror.ts'
import { type ResolvedRef, revisionText } from './gitref.ts'
import { directoryOf, type LsTreeEntry, resolvePath } from './lstree.ts'

const MAX_HOPS = 8

export interface TreeWanted {
  readonly picked: ResolvedRef
  /** '' is the root. */
  readonly path: string
  /** Which files are read, by path. */
  readonly wants: (path: string) => boolean
}

export async function readTree(
  repository: GitMirror,
  { path, ...wanted }: TreeWanted,
): Promise<Result<SourceTree, SourceFailure>> {
  const found = await readTrees(repository, { ...wanted, paths: [path] })
  return found.ok ? found.value.get(path)! : found
}

export interface TreesWanted extends Omit<TreeWanted, 'path'> {
  readonly paths: readonly string[]
}

/** Several directories of a commit, by path, with one listing and one read. */
export async function readTrees(
  repository: GitMirror,
  { picked, paths, wants }: TreesWanted,
): Promise<Result<ReadonlyMap<string, Result<SourceTree, SourceFailure>>, SourceFailure>> {
  const listed = await repository.list(picked.commit, paths)
  if (!listed.ok) return listed
  const below = new Map(paths.map((path) => [path, listed.value.filter((e) => isBelow(e.path, path))]))
  const isRead = (e: LsTreeEntry): boolean => e.type !== 'submodule' && wants(e.path)
  const ids = [...below.values()].flatMap((entries) => entries.filter(isRead).map((e) => e.id))
  const contents = await repository.read(picked, ids)
  if (!contents.ok) return contents
  const trees = new Map<string, Result<SourceTree, SourceFailure>>()
  for (const [path, entries] of below)
    trees.set(path, await treeOf(repository, { picked, path, wants }, entries, contents.value))
  return ok(trees)
}

const isBelow = (path: string, directory: string): boolean =>
  directory === '' || path === directory || path.startsWith(`${directory}/`)

/** `below`: entries of the directory, or the file that has its path. */
async function treeOf(
  repository: GitMirror,
  wanted: TreeWanted,
  below: readonly LsTreeEntry[],
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<Result<SourceTree, SourceFailure>> {
  if (wanted.path !== '' && !below.some((e) => e.path.startsWith(`${wanted.path}/`)))
    return err(await missingPath(repository, wanted))
  const warnings = below
    .filter((e) => e.type === 'submodule')
    .map((e) => `W_SUBMODULE_SKIPPED ${e.path}: submodules are not read`)
  const files: TreeFile[] = []
  for (const entry of below) {
    if (entry.type === 'submodule' || !wanted.wants(entry.path)) continue
    const found = await follow(repository, wanted, entry, contents)
    if (!found.ok) return found
    for (const file of found.value) if (wanted.wants(file.path)) files.push(file)
  }
  return ok({ files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), warnings })
}

/** The files of a commit that have these paths, from the root; of those that are not there, nothing. */
export async function readNamed(
  repository: GitMirror,
  picked: ResolvedRef,
  paths: readonly string[],
): Promise<Result<TreeFile[], SourceFailure>> {
  const files: TreeFile[] = []
  for (const path of new Set(paths)) {
    const listed = await repository.list(picked.commit, [path])
    if (!listed.ok) return listed
    const entry = listed.value.find((e) => e.path === path && e.type !== 'submodule')
    if (!entry) continue
    const contents = await repository.read(picked, [entry.id])
    if (!contents.ok) return contents
    const found = await follow(repository, { picked, path, wants: () => true }, entry, contents.value)
    if (!found.ok) return found
    files.push(...found.value.filter((f) => f.path === path))
  }
  return ok(files)
}

async function missingPath(repository: GitMirror, wanted: TreeWanted): Promise<SourceFailure> {
  const known = (await repository.directories(wanted.picked.commit)).slice(0, 20)
  return fault('PathMissing', {
    place: repository.place,
    because: 'Directory',
    path: wanted.path,
    revision: revisionText(wanted.picked),
    known,
  })
}

/** A file is itself; a link is what it leads to, under its own name: a file, or all files of a directory. */
async function follow(
  repository: GitMirror,
  wanted: TreeWanted,
  entry: LsTreeEntry,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<Result<TreeFile[], SourceFailure>> {
  const bytes = contents.get(entry.id)
  if (!bytes) return err(repository.missingObject(entry.path))
  if (entry.type === 'file') return ok([{ path: entry.path, bytes }])
  const { place } = repository
  let at = entry.path
  let target = new TextDecoder().decode(bytes)
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const to = resolvePath(directoryOf(at), target)
    if (to === undefined)
      return err(fault('PathEscapes', { place, because: 'Outside', path: entry.path, to: target }))
    const listed = await repository.list(wanted.picked.commit, [to])
    if (!listed.ok) return listed
    const found = listed.value.filter((e) => e.type !== 'submodule')
    const read = await repository.read(
      wanted.picked,
      found.map((e) => e.id),
    )
    if (!read.ok) return read
    const self = found.find((e) => e.path === to)
    if (self?.type !== 'link') return copies(place, entry, to, { found, contents: read.value })
    at = to
    target = new TextDecoder().decode(read.value.get(self.id)!)
  }
  return err(fault('PathEscapes', { place, because: 'Links', path: entry.path, limit: MAX_HOPS }))
}

interface LinkTarget {
  readonly found: readonly LsTreeEntry[]
  readonly contents: ReadonlyMap<string, Uint8Array>
}

function copies(
  place: string,
  link: LsTreeEntry,
  to: string,
  { found, contents }: LinkTarget,
): Result<TreeFile[], SourceFailure> {
  if (found.length === 0)
    return err(fault('PathEscapes', { place, because: 'Dangling', path: link.path, to }))
  const inner = found.find((e) => e.type === 'link')
  if (inner) return err(fault('PathEscapes', { place, because: 'Link', path: link.path, to: inner.path }))
  return ok(
    found.map((e) => ({ path: `${link.path}${e.path.slice(to.length)}`, bytes: contents.get(e.id)! })),
  )
}
