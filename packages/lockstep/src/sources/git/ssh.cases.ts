/** Git over ssh, with sshd on loopback: one table, of which a sample is played with the other tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOf, openReader } from '../../../../../test/git/repositoryreader.ts'
import { newKey, type SshServer, serveSsh, sshdProgram } from '../../../../../test/git/sshd.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { SourceFailure } from '../intake/sourcefailure.ts'
import type { GitRef } from './gitref.ts'

type Row = readonly [reference: keyof typeof references, protocol: 'v2' | 'v0']

const references = {
  'a branch': [() => ({ branch: 'main' }), '3'],
  'a tag': [() => ({ tag: 'v1.0.0' }), '1'],
  'a tag object': [() => ({ tag: 'v1.2.0' }), '2'],
  'a range': [() => ({ semver: '^1' }), '2'],
  'a full name': [() => ({ name: 'refs/pull/7/head' }), '1'],
  'a commit': [(first) => ({ commit: first }), '1'],
  'a tag with its pin': [(first) => ({ tag: 'v1.0.0', commit: first }), '1'],
  'a branch with a commit of it': [(first) => ({ branch: 'main', commit: first }), '1'],
} satisfies Record<string, readonly [ref: (first: string) => GitRef, content: string]>

/** Every reference with every protocol. */
export const ALL_SSH = (Object.keys(references) as Row[0][]).flatMap((name): Row[] => [
  [name, 'v2'],
  [name, 'v0'],
])

const isFailure = (found: object): found is SourceFailure => 'reason' in found

function cannotServe(): string | undefined {
  if (sshdProgram() === undefined) return 'there is no sshd on this machine (apt-get install openssh-server)'
  const { username, shell } = userInfo()
  // sshd lets an account in by its login shell.
  return /\/(nologin|false)$/.test(shell ?? '') ? `${username} has no login shell (${shell})` : undefined
}

export function sshCases(played: readonly Row[]): void {
  const why = cannotServe()
  const isThere = why === undefined
  if (!isThere) console.warn(`git over ssh: skipped, ${why}`)
  describe.skipIf(!isThere)('git over ssh', () => {
    const root = mkdtempSync(join(tmpdir(), 'lockstep-gitssh-'))
    const env = loopbackEnv()
    let modern: SshServer
    let plain: SshServer
    let names = 0

    beforeAll(async () => {
      modern = await serveSsh(join(root, 'modern'), true)
      plain = await serveSsh(join(root, 'plain'), false)
    })
    afterAll(async () => {
      await modern?.close()
      await plain?.close()
      rmSync(root, { recursive: true, force: true })
    })

    const newRepository = (): TestGitRepository => {
      const repository = new TestGitRepository(root, `r${++names}.git`)
      repository.git(['config', 'uploadpack.allowFilter', 'true'])
      return repository
    }

    /** `path: content` of what a reference gives, or `Reason: message`. */
    async function files(
      server: SshServer,
      repository: TestGitRepository,
      ref: GitRef,
      over: Partial<Pick<SshServer, 'identity' | 'knownHosts'>> = {},
    ): Promise<unknown> {
      const { identity, knownHosts } = { ...server, ...over }
      const credentials = { type: 'ssh', identity, knownHosts } as const
      const reader = await openReader(env, root, server.url(repository.dir), credentials)
      const found = await filesOf(reader, ref, 'apps')
      await reader.close()
      return isFailure(found) ? `${found.reason}: ${found.message}` : found
    }

    const setup = () => {
      const r = newRepository()
      const first = r.commit({ 'apps/a.yaml': '1', 'other/b.yaml': 'b' })
      r.tag('v1.0.0', first)
      r.tag('v1.2.0', r.commit({ 'apps/a.yaml': '2', 'other/b.yaml': 'b' }), true)
      r.git(['update-ref', 'refs/pull/7/head', first])
      r.commit({ 'apps/a.yaml': '3', 'other/b.yaml': 'b' })
      return { r, first }
    }
    it.each(played)('%s, on a port of its own, with protocol %s', async (name, protocol) => {
      const { r, first } = setup()
      const [ref, content] = references[name]
      const server = protocol === 'v2' ? modern : plain
      expect(await files(server, r, ref(first))).toEqual({ 'apps/a.yaml': content })
    })

    it('a host whose key nobody has written down, or which has another one', async () => {
      const { r } = setup()
      const ref = { branch: 'main' }
      expect(await files(modern, r, ref, { knownHosts: '\n' })).toBe(
        `HostKeyUnknown: git ${modern.url(r.dir)}: host key of 127.0.0.1:${modern.port} is not in known_hosts; compare it with ssh-keyscan -p ${modern.port} 127.0.0.1`,
      )
      const other = plain.knownHosts.replace(`:${plain.port} `, `:${modern.port} `)
      expect(await files(modern, r, ref, { knownHosts: other })).toMatch(
        /^HostKeyUnknown: git ssh:.*: host key is SHA256:[A-Za-z0-9+/]+, known_hosts has another; check whether it was replaced$/,
      )
    })

    it('a key that the server does not know, or that is none', async () => {
      const { r } = setup()
      const stranger = readFileSync(newKey(root, `stranger${++names}`), 'utf8')
      const refused = expect.stringMatching(/^SourceAuthFailed: .*: the server refused the key in the Secret/)
      expect(await files(modern, r, { branch: 'main' }, { identity: stranger })).toEqual(refused)
      expect(await files(modern, r, { branch: 'main' }, { identity: 'no key\n' })).toEqual(refused)
    })

    it('what is not there', async () => {
      const { r } = setup()
      expect(await files(modern, r, { branch: 'none' })).toMatch(/^RefNotFound: git ssh:.*: no branch none$/)
      const gone = new TestGitRepository(root, `gone${++names}.git`)
      rmSync(gone.dir, { recursive: true })
      expect(await files(modern, gone, { branch: 'main' })).toMatch(
        /^SourceUnreachable: .*: no repository at this URL/,
      )
    })
  })
}
