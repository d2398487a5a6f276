/** What Ready means, and what sets a run going. */
import { expect } from 'vitest'
import {
  asked,
  charts,
  config,
  deployment,
  git,
  type Playground,
  release,
  unit,
} from '../playground.cases.ts'
import { type Fact, isReady, publish, settled } from './fact.cases.ts'

const CHARTS = 'https://charts.example'

/** Whether a run of `a` has written something since. */
const hasRun = (p: Playground, from: number): boolean =>
  p.writes
    .slice(from)
    .some(
      (w) => w.key === 'default/a' && w.resource.startsWith('kustomizations') && w.actor.startsWith('gotk'),
    )

export const triggerFacts: readonly Fact[] = [
  {
    row: 'Ready of a Kustomization',
    holds: 'means applied; healthy only with `wait` or `healthChecks`',
    async play(p) {
      publish(p, '1', { a: [deployment('web')] })
      p.world.fail({ workload: 'web', outcome: 'CrashLoop' })
      p.start()
      const healthChecks = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'default' }]
      p.apply(
        git(),
        unit('a'),
        unit('b', { path: './a', wait: true, timeout: '40s' }),
        unit('c', { path: './b', healthChecks, timeout: '40s' }),
      )
      await p.pass(60_000)
      expect(['a', 'b', 'c'].map((n) => isReady(p, n))).toEqual([true, false, false])
      expect(p.condition('Kustomization', 'c')).toMatchObject({
        reason: 'HealthCheckFailed',
        message: expect.stringMatching(
          /^health check failed after 40(\.\d+)?s: timeout waiting for: \[Deployment\/default\/web status: 'InProgress'\]$/,
        ),
      })
    },
  },
  {
    row: 'Ready of a Kustomization',
    holds: 'with `healthCheckExprs`: what they say of objects of their kind',
    async play(p) {
      publish(p, '1', { a: [config('a', { phase: 'new' })] })
      p.start()
      const healthCheckExprs = [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          current: "data.phase == 'done'",
          failed: "data.phase == 'broken'",
        },
      ]
      p.apply(git(), unit('a', { wait: true, timeout: '2m', healthCheckExprs }))
      await p.pass(20_000)
      expect(p.condition('Kustomization', 'a', 'Healthy')?.status).toBe('Unknown')
      publish(p, '1', { a: [config('a', { phase: 'broken' })] })
      p.apply(config('a', { phase: 'broken' }))
      await p.pass(6000)
      expect(p.condition('Kustomization', 'a')?.message).toContain(
        "failed early due to stalled resources: [ConfigMap/default/a status: 'Failed']",
      )
    },
  },
  {
    row: 'Ready of a HelmRelease',
    holds: 'the last action went well; in sync, nothing is looked at',
    async play(p) {
      const a = { name: 'a', version: '1.0.0', templates: () => [deployment('web')] }
      p.artifacts.publish(CHARTS, '', { charts: [a] })
      p.start()
      p.apply(charts(), release('a', { interval: '1m' }))
      await p.until('a is ready', () => p.condition('HelmRelease', 'a')?.status === 'True')
      p.world.fail({ workload: 'web', outcome: 'CrashLoop' })
      p.local.delete('configmaps', 'default', 'a', 'person')
      await p.pass(5 * 60_000)
      expect(p.condition('HelmRelease', 'a')?.status).toBe('True')
    },
  },
  {
    row: 'what sets a run going',
    holds: 'the generation, a request, a revision, the interval; a label does not',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('a', { interval: '5m' }))
      await p.until('a is ready', () => isReady(p, 'a'))
      await p.pass(1000)
      const runs = async (change: () => void, ms = 3000): Promise<boolean> => {
        const from = p.writes.length
        change()
        await p.pass(ms)
        return hasRun(p, from)
      }
      const spec = { interval: '5m' }
      expect(await runs(() => p.apply(unit('a', spec, { labels: { x: 'y' } })))).toBe(false)
      expect(await runs(() => p.apply(unit('a', { ...spec, force: true })))).toBe(true)
      expect(await runs(() => p.apply(asked(unit('a', { ...spec, force: true }), '1')))).toBe(true)
      publish(p, '2')
      expect(await runs(() => p.apply(asked(git(), '1')))).toBe(true)
      expect(await runs(() => {}, 4 * 60_000)).toBe(false)
      expect(await runs(() => {}, 60_000)).toBe(true)
    },
  },
  {
    row: 'what sets a run going',
    holds: 'ConfigMaps of variables and values only with the label that asks for it',
    async play(p) {
      publish(p, '1', { a: [config('a', { n: '$' + '{n}' })] })
      p.start()
      const postBuild = { substituteFrom: [{ kind: 'ConfigMap', name: 'inputs' }] }
      p.apply(git(), config('inputs', { n: 'one' }), unit('a', { postBuild }))
      await p.until('a is ready', () => isReady(p, 'a'))
      p.apply(config('inputs', { n: 'two' }))
      await p.pass(5000)
      expect(p.config('a')).toEqual({ n: 'one' })
      p.apply(config('inputs', { n: 'three' }, { labels: { 'reconcile.fluxcd.io/watch': 'Enabled' } }))
      await p.pass(5000)
      expect(p.config('a')).toEqual({ n: 'three' })
    },
  },
  {
    row: 'what sets a run going',
    holds: 'a dependant is not told when its dependency is ready',
    async play(p) {
      await settled(p)
      const from = p.writes.length
      p.apply(asked(unit('a'), '1'))
      await p.pass(5000)
      expect(p.writes.slice(from).filter((w) => w.key === 'default/b')).toEqual([])
    },
  },
]
