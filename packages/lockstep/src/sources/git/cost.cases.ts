/** What a reference costs, however long the history is: one table for a small and for a large one. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { filesOf, openReader } from '../../../../../test/git/repositoryreader.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { GitRef } from './gitref.ts'

const MiB = 1024 * 1024

/** Every commit has another MiB that does not pack, and removes the one before. */
async function grow(repository: TestGitRepository, commits: number): Promise<void> {
  const importer = spawn(
    'git',
    ['-C', repository.dir, '-c', 'core.compression=0', 'fast-import', '--quiet'],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  )
  const ended = once(importer, 'close')
  const noise = randomBytes(MiB)
  for (let n = 0; n < commits; n++) {
    noise.writeUInt32BE(n)
    const head = `commit refs/heads/main\ncommitter t <t@example.com> ${1e9 + n} +0000\ndata 1\nx\n`
    const from = n === 0 ? 'from refs/heads/main^0\n' : ''
    importer.stdin.write(`${head}${from}M 100644 inline big.bin\ndata ${noise.length}\n`)
    if (!importer.stdin.write(noise)) await once(importer.stdin, 'drain')
    importer.stdin.write('\n')
  }
  importer.stdin.end()
  expect((await ended)[0]).toBe(0)
}

/** References as the last argument but one of `it.each`: how often something is fetched for them. */
const references: readonly [string, (first: string, last: string) => GitRef, string, number][] = [
  ['a branch', () => ({ branch: 'main' }), '2', 2],
  ['a tag', () => ({ tag: 'v1.0.0' }), '1', 2],
  ['a tag object', () => ({ tag: 'v1.2.0' }), '2', 2],
  ['a range', () => ({ semver: '^1' }), '2', 2],
  ['a full name', () => ({ name: 'refs/pull/7/head' }), '1', 2],
  ['a commit', (first) => ({ commit: first }), '1', 2],
  ['a tag with its pin', (first) => ({ tag: 'v1.0.0', commit: first }), '1', 2],
  // The commits of the branch, without what is in them.
  ['a branch with a commit of it', (first) => ({ branch: 'main', commit: first }), '1', 3],
  ['the default branch with a commit of it', (first) => ({ name: 'HEAD', commit: first }), '1', 3],
  // It is at its head.
  ['a branch with its last commit', (_, last) => ({ branch: 'main', commit: last }), '2', 2],
]

export function costCases(title: string, commits: number): void {
  describe(title, () => {
    const root = mkdtempSync(join(tmpdir(), 'lockstep-gitcost-'))
    const env = loopbackEnv()
    let server: GitServer
    let first = ''
    let last = ''
    beforeAll(async () => {
      server = await serveGit(root)
      const r = new TestGitRepository(root, 'r.git')
      const shared = { 'apps/b.yaml': 'b', 'big/c.yaml': 'not below the path' }
      first = r.commit({ ...shared, 'apps/a.yaml': '1' })
      r.tag('v1.0.0', first)
      r.git(['update-ref', 'refs/pull/7/head', first])
      await grow(r, commits)
      last = r.commit({ ...shared, 'apps/a.yaml': '2' })
      r.tag('v1.2.0', last, true)
    }, 300_000)
    afterAll(async () => {
      await server.close()
      rmSync(root, { recursive: true, force: true })
    })

    it.each(references)('%s', async (_, of, content, fetches) => {
      const ref = of(first, last)
      const credentials = { type: 'none', tls: { ca: server.ca } } as const
      const reader = await openReader(env, root, `${server.url}/r.git`, credentials)
      const [asked, sent] = [server.requests.length, server.sent]
      const files = await filesOf(reader, ref, 'apps')
      await reader.close()
      expect(files).toEqual({ 'apps/a.yaml': content, 'apps/b.yaml': 'b' })
      // Each fetch, and ls-remote where there is something to resolve, begins with one GET.
      const begun = server.requests.slice(asked).filter((q) => q.startsWith('GET')).length
      const resolving = ref.commit !== undefined && Object.keys(ref).length === 1 ? 0 : 1
      expect(begun - resolving).toBe(fetches)
      expect(server.sent - sent).toBeLessThan(5 * MiB)
      expect(blobsIn(reader.dir)).toEqual([content, 'b'])
    })
  })
}

/** Contents of all files that were fetched. */
function blobsIn(dir: string): string[] {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', dir, ...args], { stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  const all = git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)')
  const ids = all.split('\n').flatMap((line) => (line.startsWith('blob ') ? [line.slice(5)] : []))
  return ids.map((id) => git('cat-file', 'blob', id)).sort()
}
