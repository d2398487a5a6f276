/** Modules from a Git repository: real git over real HTTPS. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { type GitServer, serveGit } from '../git/gitserver.ts'
import { TestGitRepository } from '../git/testgitrepository.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

const ANY = { ...WRITE, precondition: 'any', force: true } as const

export interface Setting {
  readonly repository: TestGitRepository
  /** Another one, below the same server. */
  another(name: string): TestGitRepository
  readonly server: GitServer
  /** `spec.source` with this reference. */
  source(ref: object, more?: object): object
  manifest(name: string, value: string): string
  /** Asks for the source at once. */
  reconcile(module: string): Promise<void>
}

/** A repository, its server, and a Secret `git` with the server's CA. */
export async function withGit(c: Corner, work: (s: Setting) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-git-case-'))
  const server = await serveGit(root)
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'git', namespace: c.namespace },
    data: { 'ca.crt': bytesToBase64(new TextEncoder().encode(server.ca)) },
  }
  value(await c.hub.apply(secretKind, secret, ANY))
  let triggers = 0
  try {
    await work({
      repository: new TestGitRepository(root, 'platform.git'),
      another: (name) => new TestGitRepository(root, `${name}.git`),
      server,
      source: (ref, more = {}) => ({
        git: { url: `${server.url}/platform.git`, path: 'apps', secretRef: { name: 'git' }, ref, ...more },
      }),
      manifest: (name, v) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${c.namespace}}\ndata: {v: "${v}"}\n`,
      async reconcile(module) {
        const annotations = { 'lockstep.dev/reconcile': String(++triggers) }
        value(
          await c.hub.patch(
            moduleKind,
            { namespace: c.namespace, name: module },
            { metadata: { annotations } },
            ANY,
          ),
        )
      },
    })
  } finally {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const has = (v: string) => (o: { data?: Readonly<Record<string, string>> } | undefined) => o?.data?.v === v

/** What happens to a repository, what is said of it, and in which words; no reason: it is published as it is now. */
const losses: Readonly<
  Record<
    string,
    readonly [(r: TestGitRepository, was: Record<string, string>) => void, string | undefined, RegExp]
  >
> = {
  gone: [(r) => rmSync(r.dir, { recursive: true }), 'SourceUnreachable', /no repository at this URL/],
  closed: [() => {}, 'SourceAuthFailed', /status 401/],
  empty: [(r) => r.git(['update-ref', '-d', 'refs/heads/main']), 'RefNotFound', /no branch main/],
  emptied: [
    (r) => r.commit({ 'README.md': 'moved' }),
    'PathMissing',
    /path apps is not a directory .*directories: none/,
  ],
  bare: [(r) => r.commit({ 'apps/README.md': 'moved' }), 'EmptyRender', /apply\.allowEmpty/],
  pinned: [rewrite, 'RefNotFound', /commit [0-9a-f]{40} is not on branch main/],
  rewritten: [rewrite, undefined, /./],
}

/** The same files, in a history that has nothing to do with the one before. */
function rewrite(r: TestGitRepository, was: Record<string, string>): void {
  r.git(['update-ref', '-d', 'refs/heads/main'])
  r.commit({ 'other.txt': 'another beginning' })
  r.commit(was)
}

export const gitCases: readonly FleetCase[] = [
  {
    name: 'a branch: what is pushed is delivered, what is removed is pruned, what is unchanged is not written',
    run: (c) =>
      withGit(c, async (s) => {
        const one = s.repository.commit({
          'apps/a.yaml': s.manifest('a', '1'),
          'apps/deep/b.yaml': s.manifest('b', '1'),
          'apps/README.md': '# no manifest',
          'other/c.yaml': s.manifest('c', '1'),
        })
        await c.module('web', { source: s.source({ branch: 'main' }) })
        const first = await c.untilReady('web')
        expect(first.status?.sourceRevision).toBe(`main@sha1:${one}`)
        const recorder = await c.record()
        const a = { namespace: c.namespace, name: 'a' }
        const before = value(await c.c1.get(configMapKind, a, READ)).metadata.resourceVersion
        const two = s.repository.commit({
          'apps/a.yaml': s.manifest('a', '1'),
          'apps/new.yaml': s.manifest('new', '2'),
        })
        await s.reconcile('web')
        await c.until(c.c1, configMapKind, 'new', 'there', has('2'))
        await c.untilGone(c.c1, configMapKind, 'b')
        await c.untilModule(
          'web',
          'at the second commit',
          (m) => m.status?.sourceRevision === `main@sha1:${two}`,
        )
        await recorder.expectOrder('created new', 'deleted b')
        expect(value(await c.c1.get(configMapKind, a, READ)).metadata.resourceVersion).toBe(before)
      }),
  },
  {
    name: 'a tag below a release: moved, it stays what it was until the release changes',
    run: (c) =>
      withGit(c, async (s) => {
        s.repository.tag('v1', s.repository.commit({ 'apps/a.yaml': s.manifest('a', '1') }))
        await c.module('web', { release: 'r1', source: s.source({ tag: 'v1' }) })
        await c.untilReady('web')
        s.repository.tag('v1', s.repository.commit({ 'apps/a.yaml': s.manifest('a', '2') }))
        const asked = s.server.requests.length
        await s.reconcile('web')
        await c.module('web', { release: 'r1', source: s.source({ tag: 'v1' }), apply: { prune: false } })
        await c.untilReady('web')
        expect(s.server.requests.length).toBe(asked)
        await c.until(c.c1, configMapKind, 'a', 'as before', has('1'))
        await c.module('web', { release: 'r2', source: s.source({ tag: 'v1' }) })
        await c.until(c.c1, configMapKind, 'a', 'at the new release', has('2'))
      }),
  },
  {
    alone: true,
    name: 'a tag that is moved is a new revision, and said, also after a restart that has forgotten everything',
    isLong: true,
    run: (c) =>
      withGit(c, async (s) => {
        // An object belongs to one module: the pinned one has another.
        const one = s.repository.commit({
          'apps/a.yaml': s.manifest('a', '1'),
          'pinned/p.yaml': s.manifest('p', '1'),
        })
        s.repository.tag('v1', one, true)
        await c.module('web', { source: s.source({ tag: 'v1' }) })
        await c.module('pinned', { source: s.source({ tag: 'v1', commit: one }, { path: 'pinned' }) })
        await c.untilReady('web')
        await c.untilReady('pinned')
        c.controllers.kill()
        const two = s.repository.commit({ 'apps/a.yaml': s.manifest('a', '2') })
        s.repository.tag('v1', two, true)
        c.controllers.start()
        await c.until(c.c1, configMapKind, 'a', 'of the moved tag', has('2'))
        await c.untilEvent('TagMoved', `v1 was ${one}, is ${two}`)
        const { message } = await reasonOf(c, 'pinned', 'RefMoved')
        expect(message).toContain(`tag v1 is ${two}, pinned to ${one}`)
        const pinned = await c.untilModule(
          'pinned',
          'as before',
          (m) => m.status?.sourceRevision !== undefined,
        )
        expect(pinned.status?.sourceRevision).toBe(`v1@sha1:${one}`)
      }),
  },
  {
    alone: true,
    name: 'a range whose versions vanish: what is published stays, with a warning, until somebody says to go back',
    isLong: true,
    run: (c) =>
      withGit(c, async (s) => {
        s.repository.tag('v1.2.2', s.repository.commit({ 'apps/a.yaml': s.manifest('a', '2') }))
        const newest = s.repository.commit({
          'apps/a.yaml': s.manifest('a', '3'),
          'apps/b.yaml': s.manifest('b', '3'),
        })
        s.repository.tag('v1.2.3', newest)
        await c.module('web', { source: s.source({ semver: '^1.2' }) })
        await c.untilReady('web')
        const recorder = await c.record()
        s.repository.git(['tag', '-d', 'v1.2.3'])
        await s.reconcile('web')
        const older = '^1.2 resolves to v1.2.2, older than the published v1.2.3, which stays'
        const warned = await c.untilModule(
          'web',
          'warned of',
          (m) => condition(m, 'ResolvedOlder') !== undefined,
        )
        expect(condition(warned, 'ResolvedOlder')?.message).toContain(older)
        expect(condition(warned, 'Ready')?.status).toBe('True')
        await c.untilEvent('ResolvedOlder', older)
        c.controllers.kill()
        c.controllers.start()
        // The spec moves on, with what the published revision was made of.
        await c.module('web', { source: s.source({ semver: '^1.2' }), apply: { driftInterval: '1m' } })
        const kept = await c.untilModule(
          'web',
          'published anew',
          (m) => m.status?.observedGeneration === m.metadata.generation,
        )
        expect(kept.status?.sourceRevision).toBe(`v1.2.3@sha1:${newest}`)
        s.repository.git(['tag', '-d', 'v1.2.2'])
        await s.reconcile('web')
        await reasonOf(c, 'web', 'RefNotFound')
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'b' }, READ))
        recorder.expectNone('deleted')
        s.repository.tag('v1.2.2', 'main~1')
        await c.module('web', { source: s.source({ tag: 'v1.2.2' }) })
        await c.until(c.c1, configMapKind, 'a', 'of the older version', has('2'))
      }),
  },
  {
    name: 'kustomize: bases beside the path, and what the module puts on top',
    run: (c) =>
      withGit(c, async (s) => {
        const kustomization = (text: string) =>
          `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${text}\n`
        s.repository.commit({
          'apps/kustomization.yaml': kustomization('resources: [../base]\nnamePrefix: web-'),
          'base/kustomization.yaml': kustomization('resources: [cm.yaml]'),
          'base/cm.yaml': s.manifest('a', '1'),
          'far/kustomization.yaml': kustomization('resources: ["https://example.com/a"]'),
        })
        await c.module('web', {
          source: s.source({ branch: 'main' }),
          render: { kustomize: { nameSuffix: '-x' } },
        })
        await c.untilReady('web')
        await c.until(c.c1, configMapKind, 'web-a-x', 'there', has('1'))
        await c.module('far', {
          source: s.source({ branch: 'main' }, { path: 'far' }),
          render: { kustomize: {} },
        })
        const { message } = await reasonOf(c, 'far', 'RemoteBaseRefused')
        expect(message).toMatch(/^far\/kustomization\.yaml:3: resources\.0: https:/)
      }),
  },
  {
    name: 'a repository that is gone, closed, emptied or rewritten: what is published stays, and is repaired',
    run: (c) =>
      withGit(c, async (s) => {
        const repositories = new Map(Object.keys(losses).map((name) => [name, s.another(name)]))
        const contentOf = (name: string) => ({
          [`apps/${name}.yaml`]: s.manifest(name, '1'),
          [`apps/keep-${name}.yaml`]: s.manifest(`keep-${name}`, '1'),
        })
        for (const [name, r] of repositories) {
          const commit = r.commit(contentOf(name))
          const ref = name === 'pinned' ? { branch: 'main', commit } : { branch: 'main' }
          await c.module(name, { source: s.source(ref, { url: `${s.server.url}/${name}.git` }) })
        }
        for (const name of repositories.keys()) await c.untilReady(name)
        const recorder = await c.record()
        s.server.intercept = (request, response) => {
          if (!request.url?.startsWith('/closed.git')) return false
          response.writeHead(401).end()
          return true
        }
        for (const [name, r] of repositories) losses[name]![0](r, contentOf(name))
        await Promise.all([...repositories.keys()].map((name) => s.reconcile(name)))
        for (const name of repositories.keys()) {
          const [, reason, words] = losses[name]!
          if (reason !== undefined) expect((await reasonOf(c, name, reason)).message).toMatch(words)
          else
            await c.untilModule(name, 'at the new commit', (m) => {
              const now = repositories.get(name)!.git(['rev-parse', 'main'])
              return m.status?.sourceRevision === `main@sha1:${now}`
            })
        }
        recorder.expectNone('deleted')
        for (const name of repositories.keys())
          value(
            await c.c1.delete(
              configMapKind,
              { namespace: c.namespace, name },
              { ...WRITE, precondition: 'any' },
            ),
          )
        for (const name of repositories.keys()) await c.until(c.c1, configMapKind, name, 'repaired', has('1'))
        recorder.expectNone('deleted keep')
        recorder.expectNone('changed')
      }),
  },
  {
    name: 'what is wrong with a source is said with its place, and hurts no neighbour',
    run: (c) =>
      withGit(c, async (s) => {
        s.repository.commit({
          'apps/a.yaml': s.manifest('a', '1'),
          'bad/b.yaml': 'a: [1\n',
          'text/n.yaml': 'a: 1\n',
        })
        // As a server has the commits of forks: by their ids alone.
        const fork = s.repository.commit({ 'apps/f.yaml': s.manifest('f', '1') }, 'fork')
        s.repository.git(['update-ref', '-d', 'refs/heads/fork'])
        const wrong: readonly [string, object, string, string | RegExp][] = [
          ['tag', s.source({ tag: 'v9' }), 'RefNotFound', 'no tag v9'],
          [
            'fork',
            s.source({ branch: 'main', commit: fork }),
            'RefNotFound',
            `${fork} is not on branch main`,
          ],
          [
            'path',
            s.source({ branch: 'main' }, { path: 'mon' }),
            'PathMissing',
            'directories: apps, bad, text',
          ],
          ['yaml', s.source({ branch: 'main' }, { path: 'bad' }), 'RenderFailed', /^bad\/b\.yaml:\d+:\d+: /],
          ['kind', s.source({ branch: 'main' }, { path: 'text' }), 'InvalidObject', 'spec.source.ignore'],
          ['refs', s.source({ name: 'pull/7' }), 'InvalidSpec', 'is not whole; write refs/heads/'],
          [
            'scp',
            s.source({ branch: 'a' }, { url: 'git@example.com:a/b' }),
            'InvalidSpec',
            'write ssh://git@example.com/a/b',
          ],
          [
            'secret',
            s.source({ branch: 'main' }, { secretRef: { name: 'none' } }),
            'ResourceNotFound',
            'does not exist',
          ],
          ['out', s.source({ branch: 'main' }, { path: '../x' }), 'InvalidSpec', 'without ..'],
        ]
        for (const [name, source] of wrong) await c.module(name, { source })
        await c.module('good', { source: s.source({ branch: 'main' }) })
        for (const [name, , reason, text] of wrong) {
          const { message } = await reasonOf(c, name, reason)
          if (typeof text === 'string') expect(message).toContain(text)
          else expect(message).toMatch(text)
        }
        await c.untilReady('good')
        await c.module('alone', { source: s.source({ commit: fork }) })
        await c.untilReady('alone')
        await c.untilEvent('CommitNotOnRef', `no branch or tag contains commit ${fork}`)
      }),
  },
]
