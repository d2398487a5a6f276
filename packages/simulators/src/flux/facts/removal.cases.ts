/** Whose objects are whose, what is deleted when, and what a rename does. */
import { expect } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { charts, config, git, type Playground, release, unit } from '../playground.cases.ts'
import { type Fact, isReady, publish } from './fact.cases.ts'

const OWNER = 'kustomize.toolkit.fluxcd.io'
const CHARTS = 'https://charts.example'
const label = (p: Playground, name: string): string | undefined =>
  p.local.get('configmaps', 'default', name)?.metadata.labels?.[`${OWNER}/name`]
const uid = (p: Playground, name: string): string | undefined =>
  p.local.get('configmaps', 'default', name)?.metadata.uid

/** `a` with two objects, ready. */
async function two(p: Playground, spec: object = {}, extra: KubeObject = config('old', {})): Promise<void> {
  publish(p, '1', { a: [config('a', {}), extra] })
  p.start()
  p.apply(git('repo', { interval: '5s' }), unit('a', { retryInterval: '5s', ...spec }))
  await p.until('a is ready', () => isReady(p, 'a'))
  await p.pass(1000)
}

/** The second object is no more in the repository. */
async function drop(p: Playground): Promise<void> {
  publish(p, '2', { a: [config('a', {})] })
  await p.pass(15_000)
}

/** Deletes `a`; gives which of its objects are left when it is gone. */
async function left(p: Playground): Promise<boolean[]> {
  p.remove('Kustomization', 'a')
  await p.until('a is gone', () => !p.has('Kustomization', 'a'))
  await p.pass(1000)
  return ['a', 'old'].map((name) => p.config(name) !== undefined)
}

const policy = (deletionPolicy: string | undefined, prune: boolean, isKept: boolean): Fact => ({
  row: 'deletion policy',
  holds: `${deletionPolicy ?? 'none (MirrorPrune)'} with prune: ${prune} ${isKept ? 'leaves' : 'deletes'} what it has applied`,
  async play(p) {
    await two(p, { prune, ...(deletionPolicy ? { deletionPolicy } : {}) })
    expect(await left(p)).toEqual([isKept, isKept])
  },
})

export const removalFacts: readonly Fact[] = [
  {
    row: 'owner labels and inventory',
    holds: 'name and namespace of the unit on each object; `<ns>_<name>_<group>_<kind>` in the status',
    async play(p) {
      await two(p)
      const { labels } = p.local.get('configmaps', 'default', 'a')!.metadata
      expect(labels).toEqual({ [`${OWNER}/name`]: 'a', [`${OWNER}/namespace`]: 'default' })
      expect(p.status('Kustomization', 'a').inventory).toEqual({
        entries: [
          { id: 'default_a__ConfigMap', v: 'v1' },
          { id: 'default_old__ConfigMap', v: 'v1' },
        ],
      })
    },
  },
  {
    row: 'pruning',
    holds: 'deletes what the last inventory had and the new one has not; not without `prune`',
    async play(p) {
      await two(p, { prune: false })
      await drop(p)
      expect(p.config('old')).toEqual({})
      publish(p, '3', { a: [config('a', {}), config('old', {})] })
      await p.pass(15_000)
      p.apply(unit('a', { retryInterval: '5s' }))
      await p.pass(5000)
      await drop(p)
      expect(p.config('old')).toBeUndefined()
    },
  },
  {
    row: 'pruning',
    holds: 'skips an object whose labels name another unit',
    async play(p) {
      await two(p)
      const old = p.local.get('configmaps', 'default', 'old')!
      const labels = { ...old.metadata.labels, [`${OWNER}/name`]: 'other' }
      publish(p, '2', { a: [config('a', {})] })
      p.local.update({ ...old, metadata: { ...old.metadata, labels } }, 'person')
      await p.pass(15_000)
      expect(p.config('old')).toEqual({})
    },
  },
  {
    row: 'pruning',
    holds: 'and deletion leave an object with `prune: disabled`',
    async play(p) {
      await two(p, {}, config('old', {}, { annotations: { [`${OWNER}/prune`]: 'disabled' } }))
      expect(await left(p)).toEqual([false, true])
    },
  },
  {
    row: 'pruning',
    holds: 'leaves an object that somebody marked `reconcile: disabled` or `ssa: Ignore` on the cluster',
    async play(p) {
      await two(p)
      for (const [name, value] of [
        ['reconcile', 'disabled'],
        ['ssa', 'Ignore'],
      ] as const) {
        const old = p.local.get('configmaps', 'default', 'old')!
        const annotations = { [`${OWNER}/${name}`]: value }
        p.local.update({ ...old, metadata: { ...old.metadata, annotations } }, 'person')
        await drop(p)
        expect(p.config('old')).toEqual({})
        publish(p, '3', { a: [config('a', {}), config('old', {})] })
        await p.pass(15_000)
      }
    },
  },
  {
    row: 'pruning',
    holds: 'goes by names, not by uids: an object that somebody made anew is deleted too',
    async play(p) {
      await two(p)
      const old = p.local.get('configmaps', 'default', 'old')!
      const { labels } = old.metadata
      publish(p, '2', { a: [config('a', {})] })
      p.local.delete('configmaps', 'default', 'old', 'person')
      p.apply(config('old', { mine: 'yes' }, { labels }))
      expect(uid(p, 'old')).not.toBe(old.metadata.uid)
      await p.pass(15_000)
      expect(p.config('old')).toBeUndefined()
    },
  },
  {
    row: 'pruning that fails',
    holds: 'is tried again: what could not be deleted stays in the inventory',
    async play(p) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }
      await two(p, {}, namespace)
      await drop(p)
      expect(p.condition('Kustomization', 'a')).toMatchObject({
        reason: 'PruneFailed',
        message: expect.stringMatching(/^delete failed, errors: Namespace\/kube-system delete failed: .*;$/),
      })
      const { entries } = p.status('Kustomization', 'a').inventory as { entries: { id: string }[] }
      expect(entries.map((e) => e.id)).toEqual(['default_a__ConfigMap', '_kube-system__Namespace'])
    },
  },
  policy(undefined, true, false),
  policy(undefined, false, true),
  policy('MirrorPrune', true, false),
  policy('Delete', false, false),
  policy('Orphan', true, true),
  {
    row: 'deletion policy',
    holds: 'WaitForTermination keeps the unit until its objects are gone',
    async play(p) {
      await two(
        p,
        { deletionPolicy: 'WaitForTermination', timeout: '2m' },
        config('old', {}, { finalizers: ['x.io/hold'] }),
      )
      p.remove('Kustomization', 'a')
      await p.pass(30_000)
      expect([p.has('Kustomization', 'a'), p.config('a')]).toEqual([true, undefined])
      const old = p.local.get('configmaps', 'default', 'old')!
      p.local.update({ ...old, metadata: { ...old.metadata, finalizers: [] } }, 'person')
      await p.pass(5000)
      expect(p.has('Kustomization', 'a')).toBe(false)
    },
  },
  {
    row: 'deletion of a suspended unit',
    holds: 'deletes nothing',
    async play(p) {
      await two(p)
      p.apply(unit('a', { retryInterval: '5s', suspend: true }))
      await p.pass(1000)
      expect(await left(p)).toEqual([true, true])
    },
  },
  {
    row: 'deletion without inventory',
    holds: 'deletes nothing',
    async play(p) {
      await two(p)
      p.pretend('Kustomization', 'a', { inventory: { entries: [] } })
      await p.pass(1000)
      expect(await left(p)).toEqual([true, true])
    },
  },
  {
    row: 'suspend',
    holds: 'does not stop a run that has begun',
    options: { delays: { build: 10_000 } },
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('a'))
      await p.pass(5000)
      p.apply(unit('a', { suspend: true }))
      await p.pass(10_000)
      expect([isReady(p, 'a'), p.config('a')]).toEqual([true, { release: '1' }])
    },
  },
  {
    row: 'rename',
    holds: 'the old finalizer is first: objects are deleted and made anew',
    async play(p) {
      await two(p)
      const before = uid(p, 'a')
      p.remove('Kustomization', 'a')
      p.apply(unit('a2', { path: './a' }))
      await p.pass(15_000)
      expect([p.config('a') !== undefined, uid(p, 'a') === before]).toEqual([true, false])
    },
  },
  {
    row: 'rename',
    holds: 'the new apply is first: the labels have changed sides, and the old unit leaves everything',
    async play(p) {
      await two(p)
      const before = uid(p, 'a')
      p.apply(unit('a2', { path: './a' }))
      await p.until('a2 is ready', () => isReady(p, 'a2'))
      expect(label(p, 'a')).toBe('a2')
      p.remove('Kustomization', 'a')
      await p.pass(15_000)
      expect([uid(p, 'a'), label(p, 'a')]).toEqual([before, 'a2'])
    },
  },
  {
    row: 'rename',
    holds: 'both live: each run takes the labels over',
    async play(p) {
      await two(p)
      p.apply(unit('a2', { path: './a', interval: '1m' }), unit('a', { interval: '1m' }))
      const from = p.writes.length
      await p.pass(3 * 60_000)
      const owners = p.writes
        .slice(from)
        .filter((w) => w.key === 'default/a' && w.resource === 'configmaps')
        .map((w) => w.next?.metadata.labels?.[`${OWNER}/name`])
      expect(owners.slice(0, 4)).toEqual(['a2', 'a', 'a2', 'a'])
    },
  },
  {
    row: 'rename',
    holds: 'with `prune: false` first, as is advised: what the new release dropped stays behind',
    async play(p) {
      await two(p)
      p.apply(unit('a', { prune: false, retryInterval: '5s' }))
      await p.pass(2000)
      publish(p, '2', { a: [config('a', {})] })
      await p.pass(10_000)
      p.remove('Kustomization', 'a')
      p.apply(unit('a2', { path: './a' }))
      await p.pass(30_000)
      expect([label(p, 'a'), p.config('old')]).toEqual(['a2', {}])
    },
  },
  {
    row: 'HelmRelease',
    holds: 'deleted, it uninstalls; suspended and deleted, it leaves everything',
    async play(p) {
      const chart = (name: string) => ({ name, version: '1.0.0', templates: () => [config(name, {})] })
      p.artifacts.publish(CHARTS, '', { charts: [chart('a'), chart('b')] })
      p.start()
      p.apply(charts(), release('a'), release('b'))
      await p.until('both are ready', () =>
        ['a', 'b'].every((n) => p.condition('HelmRelease', n)?.status === 'True'),
      )
      p.apply(release('b', { suspend: true }))
      await p.pass(1000)
      for (const name of ['a', 'b']) p.remove('HelmRelease', name)
      await p.pass(5000)
      expect(['a', 'b'].map((n) => [p.has('HelmRelease', n), p.config(n) !== undefined])).toEqual([
        [false, false],
        [false, true],
      ])
    },
  },
  ...(
    [
      ['release name', { releaseName: 'other' }],
      ['target namespace', { targetNamespace: 'kube-public' }],
      ['storage namespace', { storageNamespace: 'kube-public' }],
      [
        'chart name',
        { chart: { spec: { chart: 'b', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } },
      ],
    ] as const
  ).map(
    ([what, spec]): Fact => ({
      row: 'HelmRelease',
      holds: `another ${what} uninstalls first: there is a time without the objects`,
      async play(p) {
        const chart = (name: string) => ({ name, version: '1.0.0', templates: () => [config('x', {})] })
        p.artifacts.publish(CHARTS, '', { charts: [chart('a'), chart('b')] })
        p.start()
        p.apply(charts(), release('a'))
        await p.until('a is ready', () => p.condition('HelmRelease', 'a')?.status === 'True')
        const before = p.writes.length
        p.apply(release('a', spec))
        await p.pass(40_000)
        const verbs = p.writes
          .slice(before)
          .filter((w) => w.resource === 'configmaps')
          .map((w) => w.verb)
        expect(verbs).toEqual(['delete', 'create'])
        expect(p.condition('HelmRelease', 'a')?.status).toBe('True')
      },
    }),
  ),
]
