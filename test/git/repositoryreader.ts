/** Reads a repository as a module's source does, from a folder of its own. */
import { join } from 'node:path'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { GitCredentials } from '../../packages/lockstep/src/sources/git/gitcredentials.ts'
import { GitMirror } from '../../packages/lockstep/src/sources/git/gitmirror.ts'
import type { GitRef } from '../../packages/lockstep/src/sources/git/gitref.ts'
import { GitRunner } from '../../packages/lockstep/src/sources/git/gitrunner.ts'
import { parseGitUrl } from '../../packages/lockstep/src/sources/git/giturl.ts'
import { readTree } from '../../packages/lockstep/src/sources/git/readtree.ts'

let names = 0

export interface RepositoryReader {
  readonly repository: GitMirror
  /** Where it keeps what it has fetched. */
  readonly dir: string
  close(): Promise<void>
}

/** `root`: where folders are made. */
export async function openReader(
  env: Env,
  root: string,
  address: string,
  credentials: GitCredentials,
): Promise<RepositoryReader> {
  const url = parseGitUrl(address, false)
  if (!url.ok) throw new Error(url.error)
  const git = await GitRunner.open(env, {
    url: url.value,
    credentials,
    by: { namespace: 'platform' },
    timeoutMs: 20_000,
  })
  if (!git.ok) throw new Error(git.error)
  const dir = join(root, `cache${++names}`)
  return {
    repository: new GitMirror(env, url.value, dir, git.value),
    dir,
    close: () => git.value.close(),
  }
}

/** `path: content` of what a reference gives, or the failure. */
export async function filesOf(
  { repository }: Pick<RepositoryReader, 'repository'>,
  ref: GitRef,
  path = '',
  wants: (path: string) => boolean = () => true,
) {
  const picked = await repository.resolve(ref)
  if (!picked.ok) return picked.error
  const there = await repository.ensureCommit(picked.value)
  if (!there.ok) return there.error
  const tree = await readTree(repository, { picked: picked.value, path, wants })
  if (!tree.ok) return tree.error
  return Object.fromEntries(tree.value.files.map((f) => [f.path, new TextDecoder().decode(f.bytes)]))
}
