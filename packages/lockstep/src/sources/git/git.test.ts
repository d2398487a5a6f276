import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { filesOf, openReader, type RepositoryReader } from '../../../../../test/git/repositoryreader.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { GitCredentials } from './gitcredentials.ts'
import type { GitMirror } from './gitmirror.ts'
import type { GitRef } from './gitref.ts'

const root = mkdtempSync(join(tmpdir(), 'lockstep-gittest-'))
const env = loopbackEnv()
let server: GitServer
let names = 0

beforeAll(async () => {
  server = await serveGit(root)
})
afterEach(() => {
  server.intercept = undefined
  server.requests.length = 0
})
afterAll(async () => {
  for (const reader of readers) await reader.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

const newRepository = () => new TestGitRepository(root, `r${++names}.git`)

async function open(repository: TestGitRepository, credentials?: GitCredentials): Promise<GitMirror> {
  const address = `${server.url}/${repository.dir.split('/').pop()}`
  return openAt(address, credentials ?? { type: 'none', tls: { ca: server.ca } })
}

const readers: RepositoryReader[] = []

async function openAt(address: string, credentials: GitCredentials): Promise<GitMirror> {
  const reader = await openReader(env, root, address, credentials)
  readers.push(reader)
  return reader.repository
}

const files = (repository: GitMirror, ref: GitRef, path?: string, wants?: (p: string) => boolean) =>
  filesOf({ repository }, ref, path, wants)

describe('what is asked of a server', () => {
  it('is one list of references and two fetches; the second time, nothing', async () => {
    const r = newRepository()
    r.commit({ 'apps/a.yaml': 'a', 'apps/b.txt': 'b', 'big/data.bin': 'x'.repeat(100_000) })
    const repository = await open(r)
    const found = await files(repository, { branch: 'main' }, 'apps', (p) => p.endsWith('.yaml'))
    expect(found).toEqual({ 'apps/a.yaml': 'a' })
    // ls-remote, the commit with its directories, the files: each an advertisement and one request or two.
    expect(server.requests.filter((q) => q.startsWith('GET'))).toHaveLength(3)
    server.intercept = () => true
    server.requests.length = 0
    expect(
      await files(repository, { commit: r.git(['rev-parse', 'HEAD']) }, 'apps', (p) => p.endsWith('.yaml')),
    ).toEqual(found)
    expect(server.requests).toEqual([])
  })
})

describe('what is not there', () => {
  it.each<[string, GitRef, string, string]>([
    ['a branch', { branch: 'no' }, 'RefNotFound', 'no branch no'],
    ['a tag', { tag: 'v9' }, 'RefNotFound', 'no tag v9'],
    ['a version', { semver: '^3' }, 'RefNotFound', 'none of 1 tags matches ^3'],
    ['a commit', { commit: '1'.repeat(40) }, 'RefNotFound', 'is not on a branch or tag'],
    ['what is pinned', { tag: 'v1', commit: '1'.repeat(40) }, 'RefMoved', `pinned to ${'1'.repeat(40)}`],
  ])('%s', async (_, ref, reason, message) => {
    const r = newRepository()
    r.tag('v1', r.commit({ a: 'x' }))
    expect(await files(await open(r), ref)).toMatchObject({
      reason,
      message: expect.stringContaining(message),
    })
  })

  it.each(['another branch', 'a fork'])(
    'a commit that is not in the branch beside it, but in %s',
    async (where) => {
      const r = newRepository()
      r.commit({ a: '1' })
      const other = r.commit({ a: '2' }, 'other')
      // Servers keep the commits of forks with those of the repository, and give them to whoever knows their ids.
      if (where === 'a fork') r.git(['update-ref', '-d', 'refs/heads/other'])
      const repository = await open(r)
      expect(await files(repository, { branch: 'main', commit: other })).toMatchObject({
        reason: 'RefNotFound',
        message: expect.stringContaining('is not on branch main'),
      })
      expect(await files(repository, { name: 'HEAD', commit: other })).toMatchObject({
        reason: 'RefNotFound',
        message: expect.stringContaining('is not on HEAD'),
      })
      // Alone nothing vouches for it: that is said where it is published.
      expect(await files(repository, { commit: other })).toEqual({ a: '2' })
    },
  )

  it('a path', async () => {
    const r = newRepository()
    r.commit({ 'apps/a.yaml': 'a', 'infra/b.yaml': 'b' })
    const found = await files(await open(r), { branch: 'main' }, 'mon')
    expect(found).toMatchObject({
      reason: 'PathMissing',
      message: expect.stringMatching(
        /^git https:.*: path mon is not a directory at main@sha1:[0-9a-f]{40}; directories: apps, infra$/,
      ),
    })
  })

  it('a repository', async () => {
    const r = newRepository()
    rmSync(r.dir, { recursive: true })
    expect(await files(await open(r), { branch: 'main' })).toMatchObject({ reason: 'SourceUnreachable' })
  })
})

describe('a server that does not do what it should', () => {
  const answer = (status: number, headers: Record<string, string> = {}) => {
    server.intercept = (_, response) => {
      response.writeHead(status, headers).end('secret words of a server')
      return true
    }
  }
  it.each<[number, string, boolean]>([
    [401, 'SourceAuthFailed', false],
    [403, 'SourceAuthFailed', false],
    [404, 'SourceUnreachable', false],
    [503, 'SourceUnreachable', true],
  ])('answers %i', async (status, reason, transient) => {
    const r = newRepository()
    r.commit({ a: 'x' })
    const repository = await open(r)
    answer(status)
    const found = await files(repository, { branch: 'main' })
    expect(found).toMatchObject({ reason, transient })
    expect(JSON.stringify(found)).not.toContain('secret words')
  })

  it('redirects: nothing goes there, and no token', async () => {
    const r = newRepository()
    r.commit({ a: 'x' })
    const other = await serveGit(root)
    const credentials: GitCredentials = { type: 'header', value: 'Bearer t0ken', tls: { ca: server.ca } }
    const repository = await open(r, credentials)
    server.intercept = (request, response) => {
      response.writeHead(301, { location: `${other.url}${request.url}` }).end()
      return true
    }
    expect(await files(repository, { branch: 'main' })).toMatchObject({ reason: 'RedirectRefused' })
    expect(other.requests).toEqual([])
    await other.close()
  })

  it('is given the credentials of the Secret', async () => {
    const r = newRepository()
    r.commit({ a: 'x' })
    let seen: string | undefined
    server.intercept = (request, response) => {
      seen = request.headers.authorization
      if (seen === 'Bearer t0ken') return false
      response.writeHead(401).end()
      return true
    }
    const repository = await open(r, { type: 'header', value: 'Bearer t0ken', tls: { ca: server.ca } })
    expect(await files(repository, { branch: 'main' })).toEqual({ a: 'x' })
    expect(seen).toBe('Bearer t0ken')
  })

  it('has a certificate that nobody vouches for', async () => {
    const r = newRepository()
    const repository = await open(r, { type: 'none' })
    expect(await files(repository, { branch: 'main' })).toMatchObject({
      reason: 'SourceUnreachable',
      message: expect.stringContaining('add the CA to the Secret as ca.crt'),
    })
  })

  it('is not there', async () => {
    const r = newRepository()
    const gone = await serveGit(root)
    await gone.close()
    const repository = await openAt(`${gone.url}/${r.dir.split('/').pop()}`, { type: 'none' })
    expect(await files(repository, { branch: 'main' })).toMatchObject({
      reason: 'SourceUnreachable',
      message: expect.stringContaining('refuses connections'),
      transient: true,
    })
  })

  it('serves only what a reference names, without filters: the same tree', async () => {
    const r = newRepository()
    const first = r.commit({ 'x/a.yaml': '1', 'y/b.yaml': '2' })
    r.commit({ 'x/a.yaml': '3' })
    r.tag('v1', first)
    // A server of protocol v0 does not see what the client offers.
    server.intercept = (request) => {
      delete request.headers['git-protocol']
      return false
    }
    expect(await files(await open(r), { tag: 'v1' }, 'x')).toEqual({ 'x/a.yaml': '1' })
    expect(await files(await open(r), { commit: first }, 'x')).toEqual({ 'x/a.yaml': '1' })
  })
})

describe('a tree', () => {
  it('holds copies of what links lead to, and no submodules', async () => {
    const r = newRepository()
    r.commit({
      'shared/one.yaml': '1',
      'shared/two.yaml': '2',
      'app/l.yaml': { link: '../shared/one.yaml' },
      'app/all': { link: '../shared' },
      'app/sub': { submodule: '1'.repeat(40) },
    })
    expect(await files(await open(r), { branch: 'main' }, 'app')).toEqual({
      'app/all/one.yaml': '1',
      'app/all/two.yaml': '2',
      'app/l.yaml': '1',
    })
  })
})
