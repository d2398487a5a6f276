/** How Helm writes a release, and what it is like half-way. */
import { expect } from 'vitest'
import { encodeYaml, type KubeObject } from '../../../../kube/src/object/index.ts'
import { type HelmClient, type Upgrade, unlock, upgrade } from '../helm/helmclient.ts'
import { config, git, type Playground, release, unit } from '../playground.cases.ts'
import type { Fact } from './fact.cases.ts'

const client = (p: Playground): HelmClient => ({ env: p.env, api: p.local, manager: 'helm', pauseMs: 100 })

const request = (documents: readonly KubeObject[], more: Partial<Upgrade> = {}): Upgrade => ({
  name: 'r',
  namespace: 'default',
  chart: { name: 'c', version: '1.0.0' },
  documents,
  ...more,
})

/** Plays an upgrade to its end; gives its error, or undefined. */
async function run(p: Playground, u: Upgrade): Promise<string | undefined> {
  const promise = upgrade(client(p), u)
  let ended: string | undefined
  let isOver = false
  void promise.then((done) => {
    isOver = true
    ended = done.ok ? undefined : done.error.message
  })
  await p.until('helm has ended', () => isOver)
  return ended
}

/** Writes of `helm` but for its own memory. */
const written = (p: Playground, from = 0): string[] =>
  p.writes
    .slice(from)
    .filter((w) => w.actor === 'helm' && w.resource !== 'secrets')
    .map((w) => `${w.verb} ${w.resource.split('.')[0]} ${w.key.split('/').at(-1)}`)

const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 's' } }

export const helmFacts: readonly Fact[] = [
  {
    row: 'order of writes',
    holds:
      'known kinds in their order, unknown ones last and by name, of one kind as the templates have them',
    async play(p) {
      const documents = [unit('b'), unit('a'), release('x'), git(), config('z', {}), config('y', {}), account]
      expect(await run(p, request(documents))).toBeUndefined()
      expect(written(p)).toEqual([
        'create serviceaccounts s',
        'create configmaps z',
        'create configmaps y',
        'create gitrepositories repo',
        'create helmreleases x',
        'create kustomizations b',
        'create kustomizations a',
      ])
    },
  },
  {
    row: 'nothing is atomic',
    holds: 'killed before any write, what was written stays, and the next one has to be let in first',
    async play(p) {
      await run(p, request([config('a', { n: '1' }), config('b', { n: '1' })]))
      const second = request([config('a', { n: '2' }), config('b', { n: '2' })])
      expect(await run(p, { ...second, killBefore: 1 })).toBe('signal: killed')
      expect([p.config('a'), p.config('b')]).toEqual([{ n: '2' }, { n: '1' }])
      expect(await run(p, second)).toBe('another operation (install/upgrade/rollback) is in progress')
      unlock(client(p), 'r', 'default')
      expect(await run(p, second)).toBeUndefined()
      expect(p.config('b')).toEqual({ n: '2' })
    },
  },
  {
    row: 'a creation that fails',
    holds: 'stops it half-way, and nothing is deleted',
    async play(p) {
      await run(p, request([config('a', { n: '1' }), config('gone', {})]))
      const bad = config('Not_A_Name', {})
      const error = await run(p, request([config('a', { n: '2' }), bad, config('z', { n: '2' })]))
      expect(error).toMatch(/^failed to create resource: /)
      expect([p.config('a'), p.config('z'), p.config('gone')]).toEqual([{ n: '2' }, undefined, {}])
    },
  },
  {
    row: 'a change that fails',
    holds: 'does not stop the ones behind it, but nothing is deleted',
    async play(p) {
      const frozen = { ...config('b', { n: '1' }), immutable: true }
      await run(p, request([config('a', { n: '1' }), frozen, config('c', { n: '1' }), config('gone', {})]))
      const next = { ...config('b', { n: '2' }), immutable: true }
      const error = await run(p, request([config('a', { n: '2' }), next, config('c', { n: '2' })]))
      expect(error).toContain('immutable')
      expect(['a', 'b', 'c', 'gone'].map((n) => p.config(n))).toEqual([
        { n: '2' },
        { n: '1' },
        { n: '2' },
        {},
      ])
    },
  },
  {
    row: 'what is no more in the chart',
    holds: 'is deleted after all writes, unless it is to be kept',
    async play(p) {
      const kept = config('kept', {}, { annotations: { 'helm.sh/resource-policy': 'keep' } })
      await run(p, request([config('gone', {}), kept, config('a', { n: '1' })]))
      const from = p.writes.length
      await run(p, request([config('a', { n: '2' }), unit('u')]))
      expect(written(p, from)).toEqual([
        'apply configmaps a',
        'create kustomizations u',
        'delete configmaps gone',
      ])
      expect(p.config('kept')).toEqual({})
    },
  },
  {
    row: 'objects of others',
    holds: 'are not taken over: nothing is written',
    async play(p) {
      p.apply(config('a', { mine: 'yes' }))
      expect(await run(p, request([config('0', {}), config('a', {})]))).toMatch(
        /^Unable to continue with update: ConfigMap "a" in namespace "default" exists and cannot be imported/,
      )
      expect(p.config('0')).toBeUndefined()
    },
  },
  {
    row: 'post-renderer',
    holds: 'gets one text with the name of each file, may change all of it, and leaves no trace of that',
    async play(p) {
      const seen: string[] = []
      const postRenderer = (text: string): string => {
        seen.push(text)
        return `${text.replace(/size: .1./, 'size: "7"')}---\n${encodeYaml(config('more', {}))}`
      }
      expect(await run(p, request([config('a', { size: '1' })], { postRenderer }))).toBeUndefined()
      expect(seen[0]).toContain('postrenderer.helm.sh/postrender-filename: c/templates/0.yaml')
      expect([p.config('a'), p.config('more')]).toEqual([{ size: '7' }, {}])
      const a = p.local.get('configmaps', 'default', 'a')!
      expect(Object.keys(a.metadata.annotations ?? {})).toEqual([
        'meta.helm.sh/release-name',
        'meta.helm.sh/release-namespace',
      ])
    },
  },
  {
    row: 'post-renderer',
    holds: 'that fails, or gives nothing, keeps everything from being written',
    async play(p) {
      const failing = () => ({ error: 'plugin "x" exited with error' })
      expect(await run(p, request([config('a', {})], { postRenderer: failing }))).toContain(
        'exited with error',
      )
      expect(await run(p, request([config('a', {})], { postRenderer: () => '' }))).toContain('empty output')
      expect(p.config('a')).toBeUndefined()
    },
  },
]
