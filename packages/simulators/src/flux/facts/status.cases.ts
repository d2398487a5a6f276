/** What the status of a unit says, when it is written, and what sets a run going. */
import { expect } from 'vitest'
import type { StatusWrite } from '../fluxoptions.ts'
import {
  asked,
  charts,
  config,
  git,
  type Playground,
  playground,
  release,
  URL,
  unit,
} from '../playground.cases.ts'
import { type Fact, isReady, publish } from './fact.cases.ts'

const CHARTS = 'https://charts.example'
const observed = (p: Playground, name = 'a'): unknown => p.status('Kustomization', name).observedGeneration

async function one(p: Playground, spec: object = {}): Promise<void> {
  publish(p, '1')
  p.start()
  p.apply(git(), unit('a', spec))
  await p.until('a is ready', () => isReady(p, 'a'))
  await p.pass(1000)
}

async function oneRelease(p: Playground, spec: object = {}): Promise<void> {
  const chart = (version: string) => ({
    name: 'a',
    version,
    templates: (v: unknown) => [config('a', { version, values: JSON.stringify(v) })],
  })
  p.artifacts.publish(CHARTS, '', { charts: [chart('1.0.0'), chart('1.1.0')] })
  p.start()
  p.apply(charts(), release('a', { ...at('1.0.0'), ...spec }))
  await p.until('a is ready', () => p.condition('HelmRelease', 'a')?.status === 'True')
  await p.pass(1000)
}

const at = (version: string) => ({
  chart: { spec: { chart: 'a', version, sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
})

/** What each status write of `a` left, in order. */
const trail = (p: Playground, from = 0): string[] =>
  p.writes
    .slice(from)
    .filter(
      (w) => w.key === 'default/a' && w.resource.startsWith('kustomizations') && w.actor.startsWith('gotk'),
    )
    .map((w) => {
      const status = w.next?.status as {
        conditions?: { type: string; status: string }[]
        observedGeneration: number
      }
      const is = (type: string) => status.conditions?.find((c) => c.type === type)?.status ?? '-'
      return `Ready=${is('Ready')} Reconciling=${is('Reconciling')} observed=${status.observedGeneration}`
    })

/** Makes the status writes of `a` of one part fail, from when the case says so. */
function refusing(part: StatusWrite['part']) {
  const state = { on: false }
  const p = playground({
    refuse: (w) => state.on && w.kind === 'Kustomization' && w.name === 'a' && w.part === part,
  })
  return { p, state }
}

/** `a` has applied another generation, and has not written so yet. */
async function appliedAgain(p: Playground, state: { on: boolean }): Promise<void> {
  await one(p)
  p.apply(unit('a', { commonMetadata: { labels: { at: 'two' } } }))
  const label = () => p.local.get('configmaps', 'default', 'a')?.metadata.labels?.at
  await p.until('it is applied', () => label() === 'two')
  state.on = true
}

export const statusFacts: readonly Fact[] = [
  {
    row: 'observedGeneration',
    holds: 'is -1 until a run has ended well',
    async play(p) {
      p.start()
      p.apply(unit('a'))
      expect(observed(p)).toBe(-1)
      await p.pass(5000)
      expect([isReady(p, 'a'), observed(p)]).toEqual([false, -1])
    },
  },
  {
    row: 'observedGeneration',
    holds: 'of a Kustomization: a run that failed leaves it',
    async play(p) {
      await one(p)
      p.apply(unit('a', { path: './nowhere' }))
      await p.pass(5000)
      expect([isReady(p, 'a'), observed(p)]).toEqual([false, 1])
    },
  },
  {
    row: 'observedGeneration',
    holds: 'is the generation that the run has used, not the newest one',
    options: { delays: { build: 10_000 } },
    async play(p) {
      await one(p)
      p.apply(unit('a', { interval: '9m' }))
      await p.pass(5000)
      p.apply(unit('a', { interval: '8m' }))
      await p.until('the run has ended', () => observed(p) === 2)
      expect(p.get('Kustomization', 'a').metadata.generation).toBe(3)
      await p.until('the next run has ended', () => observed(p) === 3)
    },
  },
  {
    row: 'observedGeneration',
    holds: 'of a HelmRelease: of the last run that ended without an error; one that waits has not',
    async play(p) {
      await oneRelease(p)
      expect(p.status('HelmRelease', 'a').observedGeneration).toBe(1)
      p.apply(release('a', { ...at('1.0.0'), dependsOn: [{ name: 'nobody' }] }))
      await p.pass(5000)
      expect(p.status('HelmRelease', 'a').observedGeneration).toBe(1)
      p.apply(release('a', at('1.0.0')))
      await p.pass(35_000)
      expect(p.status('HelmRelease', 'a').observedGeneration).toBe(3)
    },
  },
  {
    row: "a condition's own generation",
    holds: 'is the newest of the object when it is written: it does not say what was looked at',
    options: { delays: { build: 10_000 } },
    async play(p) {
      await one(p)
      p.apply(unit('a', { interval: '9m' }))
      await p.pass(5000)
      p.apply(unit('a', { path: './b' }))
      await p.until('the run has ended', () => observed(p) === 2)
      expect(p.condition('Kustomization', 'a')).toMatchObject({ status: 'True', observedGeneration: 3 })
      expect(p.config('b')).toBeUndefined()
    },
  },
  {
    row: 'writes of a run',
    holds: 'Ready=Unknown with Reconciling first; at the end the conditions, then the rest: two writes',
    async play(p) {
      await one(p)
      const from = p.writes.length
      p.apply(unit('a', { interval: '9m' }))
      await p.pass(1000)
      expect(trail(p, from)).toEqual([
        ...new Array(3).fill('Ready=Unknown Reconciling=True observed=1'),
        'Ready=True Reconciling=- observed=1',
        'Ready=True Reconciling=- observed=2',
      ])
    },
  },
  {
    row: 'writes of a run',
    holds: 'until the first of them the old Ready stands',
    options: { delays: { notice: 5000 } },
    async play(p) {
      await one(p)
      p.apply(unit('a', { path: './nowhere' }))
      await p.pass(4900)
      expect([isReady(p, 'a'), observed(p)]).toEqual([true, 1])
    },
  },
  {
    row: 'a lost write',
    holds: 'of the conditions: the generation is observed, Ready is what it was before',
    async play() {
      const { p, state } = refusing('conditions')
      await appliedAgain(p, state)
      await p.until('it has ended', () => observed(p) === 2)
      expect(p.condition('Kustomization', 'a')).toMatchObject({ status: 'Unknown' })
      state.on = false
      await p.until('the run is repeated', () => isReady(p, 'a'))
    },
  },
  {
    row: 'a lost write',
    holds: 'of the status: Ready is True, the old generation stands',
    async play() {
      const { p, state } = refusing('status')
      await appliedAgain(p, state)
      await p.until('it is ready', () => isReady(p, 'a'))
      expect(p.status('Kustomization', 'a')).toMatchObject({ observedGeneration: 1 })
    },
  },
  {
    row: 'revisions in the status',
    holds:
      'lastAppliedRevision is that of the last run that succeeded, lastAttemptedRevision of the last that began',
    async play(p) {
      await one(p)
      const first = p.status('Kustomization', 'a').lastAppliedRevision
      const second = p.artifacts.publish(URL, 'main', { objects: { a: [config('Not_A_Name', {})] } })
      p.apply(asked(git(), '2'))
      await p.pass(2000)
      expect(p.status('Kustomization', 'a')).toMatchObject({
        lastAppliedRevision: first,
        lastAttemptedRevision: second,
      })
    },
  },
  {
    row: 'revisions in the status',
    holds:
      'of a HelmRelease: lastAttemptedRevision and -Generation, and history with version, digests and status',
    async play(p) {
      await oneRelease(p, { values: { n: 1 } })
      p.apply(release('a', { ...at('1.1.0'), values: { n: 1 } }))
      await p.until('it is there', () => p.status('HelmRelease', 'a').observedGeneration === 2)
      const status = p.status('HelmRelease', 'a')
      expect(status).toMatchObject({ lastAttemptedRevision: '1.1.0', lastAttemptedGeneration: 2 })
      const [now, before] = status.history as { [k: string]: unknown }[]
      expect(now).toMatchObject({ chartVersion: '1.1.0', version: 2, status: 'deployed', action: 'upgrade' })
      expect(before).toMatchObject({ chartVersion: '1.0.0', version: 1, status: 'superseded' })
      expect([now?.configDigest, now?.digest]).toEqual([
        before?.configDigest,
        expect.stringMatching(/^sha256:/),
      ])
    },
  },
  {
    row: 'lastHandledReconcileAt',
    holds: 'is the request as the run has read it, written at its end, though it failed',
    options: { delays: { build: 10_000 } },
    async play(p) {
      await one(p)
      p.apply(asked(unit('a', { path: './nowhere' }), 'first'))
      await p.pass(5000)
      p.apply(asked(unit('a', { path: './nowhere' }), 'second'))
      expect(p.status('Kustomization', 'a').lastHandledReconcileAt).toBeUndefined()
      await p.until(
        'the run has ended',
        () => !isReady(p, 'a') && p.condition('Kustomization', 'a')?.status === 'False',
      )
      await p.pass(1000)
      expect(p.status('Kustomization', 'a').lastHandledReconcileAt).toBe('first')
      await p.pass(11_000)
      expect(p.status('Kustomization', 'a').lastHandledReconcileAt).toBe('second')
    },
  },
  {
    row: 'revisions of sources',
    holds: 'a branch with its commit, a tag with its digest, a digest alone',
    async play(p) {
      p.start()
      const hex = 'a'.repeat(64)
      const image = (name: string, ref: object) => ({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'OCIRepository',
        metadata: { name, namespace: 'default' },
        spec: { interval: '1m', url: 'oci://registry.example/a', ref },
      })
      publish(p, '1')
      p.artifacts.publish('oci://registry.example/a', '1.2.3', {}, `1.2.3@sha256:${hex}`)
      p.artifacts.publish('oci://registry.example/a', `sha256:${hex}`, {}, `sha256:${hex}`)
      p.apply(git(), image('tag', { tag: '1.2.3' }), image('digest', { digest: `sha256:${hex}` }))
      await p.pass(2000)
      const revision = (kind: 'GitRepository' | 'OCIRepository', name: string) =>
        (p.status(kind, name).artifact as { revision: string }).revision
      expect(revision('GitRepository', 'repo')).toMatch(/^main@sha1:[0-9a-f]{40}$/)
      expect(revision('OCIRepository', 'tag')).toBe(`1.2.3@sha256:${hex}`)
      expect(revision('OCIRepository', 'digest')).toBe(`sha256:${hex}`)
    },
  },
  {
    row: 'revisions of sources',
    holds: 'an included repository changes the content under an equal revision, and nobody is told',
    async play(p) {
      const include = [{ repository: { name: 'shared' }, toPath: 'a' }]
      const SHARED = 'https://git.example/shared'
      const shared = (v: string) =>
        p.artifacts.publish(SHARED, 'main', { objects: { '': [config('s', { release: v })] } })
      p.artifacts.publish(URL, 'main', { objects: { b: [config('b', {})] } })
      shared('1')
      p.start()
      p.apply(git('shared', { url: SHARED }), git('repo', { include }), unit('a', { interval: '10m' }))
      await p.until('a is ready', () => isReady(p, 'a'))
      const { artifact } = p.status('GitRepository', 'repo') as {
        artifact: { revision: string; digest: string }
      }
      shared('2')
      await p.pass(3 * 60_000)
      const later = (p.status('GitRepository', 'repo') as { artifact: typeof artifact }).artifact
      expect([later.revision, later.digest === artifact.digest]).toEqual([artifact.revision, false])
      expect(p.config('s')).toEqual({ release: '1' })
      await p.pass(10 * 60_000)
      expect(p.config('s')).toEqual({ release: '2' })
    },
  },
]
