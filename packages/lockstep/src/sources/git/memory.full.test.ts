/** A server that has no end: git ends before it takes the memory of the controller, and the source is too large. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import { gitFault } from './gitfault.ts'
import { GitMirror } from './gitmirror.ts'
import type { ResolvedRef } from './gitref.ts'
import { GitRunner } from './gitrunner.ts'
import { parseGitUrl } from './giturl.ts'

const root = mkdtempSync(join(tmpdir(), 'lockstep-memory-'))
let server: GitServer

beforeAll(async () => {
  server = await serveGit(root)
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

/** A page of references, each a line of its own. */
const PAGE = Array.from({ length: 2000 }, (_, i) => {
  const line = `${'0'.repeat(32)}${String(i).padStart(8, '0')} refs/heads/${'x'.repeat(900)}${i}\n`
  return (line.length + 4).toString(16).padStart(4, '0') + line
}).join('')

it('endless references', { timeout: 60_000 }, async () => {
  server.intercept = (_, response) => {
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
    response.write('001e# service=git-upload-pack\n0000')
    const more = (): void => {
      while (!response.destroyed && response.write(PAGE));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
    return true
  }
  const git = await open('endless.git')
  const done = await git.run(['ls-remote', '--quiet', '--', git.url])
  await git.close()
  expect(messageOf(done)).toBe(`SourceTooLarge: git ${git.url}: more than 1024 MiB of memory`)
})

it('a pack beyond the limit of a file', { timeout: 120_000 }, async () => {
  server.intercept = undefined
  const repository = new TestGitRepository(root, 'large.git')
  // Nothing of it can be packed smaller.
  const id = repository.object('blob', randomBytes(150 * 1024 * 1024))
  const commit = repository.commitTree(repository.tree([['100644', 'a.bin', id]]))
  // The server sends a pack that exists: work before its first byte would count as an answer that is too slow.
  for (const setting of ['core.compression=0', 'core.bigFileThreshold=1m'])
    repository.git(['config', ...setting.split('=')])
  repository.git(['repack', '-adq'])
  const git = await open('large.git')
  const dir = join(root, 'fetched.git')
  const mirror = new GitMirror(loopbackEnv(), git.parsed, dir, git.runner)
  const picked = { commit, refName: 'refs/heads/main', label: 'main' } as ResolvedRef
  const there = await mirror.ensureCommit(picked)
  if (!there.ok) throw new Error(there.error.message)
  const read = await mirror.read(picked, [id])
  await git.close()
  expect(read).toMatchObject({
    ok: false,
    error: { reason: 'SourceTooLarge', message: `git ${git.url}: more than 128 MiB a file` },
  })
  expect(readdirSync(join(dir, 'objects/pack')).filter((name) => name.startsWith('tmp_'))).toEqual([])
})

async function open(name: string) {
  const url = parseGitUrl(`${server.url}/${name}`, false)
  if (!url.ok) throw new Error(url.error)
  const opened = await GitRunner.open(loopbackEnv(), {
    url: url.value,
    credentials: { type: 'none', tls: { ca: server.ca } },
    by: { namespace: 'team-a' },
    timeoutMs: 50_000,
  })
  if (!opened.ok) throw new Error(opened.error)
  const { value } = opened
  return {
    url: url.value.text,
    parsed: url.value,
    runner: value,
    run: (args: readonly string[]) => value.run(args),
    close: () => value.close(),
  }
}

function messageOf(done: Awaited<ReturnType<GitRunner['run']>>): string {
  if (done.ok) throw new Error('git has read all of it')
  const url = parseGitUrl(`${server.url}/endless.git`, false)
  if (!url.ok) throw new Error(url.error)
  const fault = gitFault(done.error, url.value)
  return `${fault.reason}: ${fault.message}`
}
