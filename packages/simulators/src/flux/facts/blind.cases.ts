/** What an edge never looks at: each time the dependant goes on though something of its dependency is old, off or broken. */
import { expect } from 'vitest'
import { at } from '../../../../kube/src/object/index.ts'
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
import { type Fact, isReady, needsA, publish, settled } from './fact.cases.ts'

/** `a` is left as it is; `b` gets another spec. Gives whether `b` was applied with it. */
async function goesOn(p: Playground): Promise<boolean> {
  p.apply(unit('b', { ...needsA, postBuild: { substitute: { x: 'y' } } }))
  await p.pass(5000)
  return isReady(p, 'b') && p.status('Kustomization', 'b').observedGeneration === 2
}

const row = 'never compared'

export const blindFacts: readonly Fact[] = [
  {
    row,
    holds: 'labels of releases',
    async play(p) {
      await settled(p)
      p.apply(unit('a', {}, { labels: { release: 'n-1' } }))
      p.apply(unit('b', { ...needsA, postBuild: { substitute: { x: 'y' } } }, { labels: { release: 'n' } }))
      await p.pass(5000)
      expect(p.status('Kustomization', 'b').observedGeneration).toBe(2)
    },
  },
  {
    row,
    holds: 'the spec of the dependency: one that was not written yet is taken for one that is done',
    async play(p) {
      await settled(p)
      expect(await goesOn(p)).toBe(true)
    },
  },
  {
    row,
    holds: "the dependency's own dependencies: one hop",
    async play(p) {
      publish(p, '1', { z: [config('z', {})] })
      p.start()
      p.apply(git(), unit('z'), unit('a', { dependsOn: [{ name: 'z' }] }), unit('b', needsA))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.apply(unit('z', { path: './nowhere' }))
      await p.pass(5000)
      expect([isReady(p, 'z'), await goesOn(p)]).toEqual([false, true])
    },
  },
  {
    row,
    holds: 'that the dependency is suspended',
    async play(p) {
      await settled(p)
      p.apply(unit('a', { suspend: true }))
      await p.pass(1000)
      expect(await goesOn(p)).toBe(true)
    },
  },
  {
    row,
    holds: 'the health of what the dependency applied, after its last run',
    async play(p) {
      publish(p, '1', { a: [config('a', {}), deployment('web')] })
      p.start()
      p.apply(git(), unit('a', { wait: true }), unit('b', needsA))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.world.fail({ workload: 'web', outcome: 'CrashLoop' })
      await p.pass(60_000)
      const web = p.local.get('deployments.apps', 'default', 'web')
      expect(at(web, 'status', 'readyReplicas') ?? 0).toBe(0)
      expect([isReady(p, 'a'), await goesOn(p)]).toEqual([true, true])
    },
  },
  {
    row,
    holds: 'ConfigMaps that the dependency takes variables from',
    async play(p) {
      publish(p, '1', { a: [config('a', { release: '$' + '{release}' })] })
      p.start()
      const postBuild = { substituteFrom: [{ kind: 'ConfigMap', name: 'inputs' }] }
      p.apply(git(), config('inputs', { release: 'n-1' }), unit('a', { postBuild }), unit('b', needsA))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.apply(config('inputs', { release: 'n' }))
      await p.pass(5000)
      expect([p.config('a'), await goesOn(p)]).toEqual([{ release: 'n-1' }, true])
    },
  },
  {
    row,
    holds: 'for HelmReleases, values and charts of the dependency',
    async play(p) {
      const chart = (name: string) => ({
        name,
        version: '1.0.0',
        templates: (v: unknown) => [config(name, { values: JSON.stringify(v) })],
      })
      p.artifacts.publish('https://charts.example', '', { charts: [chart('a'), chart('b')] })
      p.start()
      const valuesFrom = [{ kind: 'ConfigMap', name: 'inputs' }]
      p.apply(
        charts(),
        config('inputs', { 'values.yaml': 'size: 1' }),
        release('a', { valuesFrom }),
        release('b', needsA),
      )
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      p.apply(
        config('inputs', { 'values.yaml': 'size: 2' }),
        release('b', { ...needsA, values: { size: 2 } }),
      )
      await p.pass(5000)
      expect([p.config('a'), p.config('b')]).toEqual([{ values: '{"size":1}' }, { values: '{"size":2}' }])
    },
  },
  {
    row: 'suspended and changed',
    holds: 'a Kustomization that was Ready observes the new generation without having applied it',
    async play(p) {
      await settled(p)
      p.apply(unit('a', { suspend: true, path: './b' }))
      await p.pass(1000)
      const a = p.get('Kustomization', 'a')
      expect([a.metadata.generation, p.status('Kustomization', 'a').observedGeneration]).toEqual([2, 2])
      expect([isReady(p, 'a'), p.config('a')]).toEqual([true, { release: '1' }])
      p.apply(asked(unit('b', needsA), '1'))
      await p.pass(1000)
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'suspended and changed',
    holds: 'so does a HelmRelease',
    async play(p) {
      const b = {
        name: 'b',
        version: '1.0.0',
        templates: (v: unknown) => [config('b', { v: JSON.stringify(v) })],
      }
      p.artifacts.publish('https://charts.example', '', { charts: [b] })
      p.start()
      p.apply(charts(), release('b'))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      p.apply(release('b', { suspend: true, values: { n: 2 } }))
      await p.pass(1000)
      const { observedGeneration, lastAttemptedGeneration } = p.status('HelmRelease', 'b')
      expect([observedGeneration, lastAttemptedGeneration, p.config('b')]).toEqual([2, 1, { v: '{}' }])
      expect(p.condition('HelmRelease', 'b')?.status).toBe('True')
    },
  },
]
