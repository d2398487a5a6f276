/** What `dependsOn` compares, what it says, and what it never looks at. */
import { expect } from 'vitest'
import { RESOURCES } from '../fluxkind.ts'
import { asked, charts, config, git, type Playground, release, URL, unit } from '../playground.cases.ts'
import { type Fact, isReady, needsA, publish, readyMessage, settled } from './fact.cases.ts'

const CLOSED = "dependency 'default/a' is not ready"
/** `a` is there and is nobody's business; what its status says is told by the case. */
async function untouched(p: Playground, status: object, edge: object = {}): Promise<void> {
  publish(p, '1')
  p.start()
  p.apply(git(), unit('a', { suspend: true }))
  await p.pass(1000)
  p.pretend('Kustomization', 'a', status)
  p.apply(unit('b', { dependsOn: [{ name: 'a', ...edge }] }))
  await p.pass(1000)
}

const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'Told',
  message: 'told',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

export const compareFacts: readonly Fact[] = [
  {
    row: 'the dependency is read live',
    holds: 'it counts as it is on the API server, however old the cache is',
    async play(p) {
      await untouched(p, { observedGeneration: 1 })
      p.apply(unit('a'))
      await p.until('a is ready', () => isReady(p, 'a'))
      p.apply(unit('a', { suspend: true }))
      await p.pass(1000)
      const { conditions } = p.status('Kustomization', 'a')
      p.pretend('Kustomization', 'a', { conditions: [] })
      await p.pass(1000)
      p.lag.Kustomization = 400
      p.apply(asked(unit('b', needsA), '1'))
      await p.pass(300)
      p.pretend('Kustomization', 'a', { conditions })
      await p.pass(10_000)
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'the dependency is read live',
    holds: 'in the namespace of the edge, else of the dependant; one that is missing is named',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(
        git(),
        unit('b', { dependsOn: [{ name: 'a', namespace: 'elsewhere' }] }),
        unit('c', { ...needsA, path: './b' }),
      )
      await p.pass(1000)
      const missing = 'not found: kustomizations.kustomize.toolkit.fluxcd.io "a" not found'
      expect(readyMessage(p, 'b')).toBe(`dependency 'elsewhere/a' ${missing}`)
      expect(readyMessage(p, 'c')).toBe(`dependency 'default/a' ${missing}`)
    },
  },
  {
    row: 'built-in checks',
    holds: 'no condition yet: closed, even at the observed generation',
    async play(p) {
      await untouched(p, { observedGeneration: 1 })
      expect(readyMessage(p, 'b')).toBe(CLOSED)
    },
  },
  {
    row: 'built-in checks',
    holds: 'Ready=True of an older generation: closed',
    async play(p) {
      await settled(p)
      p.lag.Kustomization = 400
      p.apply(asked(unit('b', needsA), '1'))
      await p.pass(350)
      p.apply(unit('a', { path: './b' }))
      await p.pass(300)
      const { generation } = p.get('Kustomization', 'a').metadata
      expect([isReady(p, 'a'), generation, p.status('Kustomization', 'a').observedGeneration]).toEqual([
        true,
        2,
        1,
      ])
      await p.pass(1000)
      expect(readyMessage(p, 'b')).toBe(CLOSED)
    },
  },
  {
    row: 'built-in checks',
    holds: 'Ready=False at the newest generation: closed',
    async play(p) {
      await untouched(p, { observedGeneration: 1, conditions: [{ ...READY, status: 'False' }] })
      expect(readyMessage(p, 'b')).toBe(CLOSED)
    },
  },
  {
    row: 'built-in checks',
    holds: 'a HelmRelease compares generation and Ready the same way',
    async play(p) {
      p.artifacts.publish('https://charts.example', '', {
        charts: ['a', 'b'].map((name) => ({ name, version: '1.0.0', templates: () => [config(name, {})] })),
      })
      p.start()
      p.apply(charts(), release('a', { suspend: true }), release('b', needsA))
      await p.pass(2000)
      expect(p.condition('HelmRelease', 'b')).toMatchObject({ reason: 'DependencyNotReady', message: CLOSED })
      p.apply(release('a'))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
    },
  },
  {
    row: 'revisions',
    holds: 'of one source: closed until the dependency has applied what the source has',
    async play(p) {
      await settled(p)
      // The dependency may not run: its content waits for something.
      p.apply(unit('a', { suspend: true }))
      await p.pass(1000)
      publish(p, '2')
      p.apply(asked(git(), '1'))
      await p.pass(2000)
      expect(isReady(p, 'a')).toBe(true)
      expect(readyMessage(p, 'b')).toBe("dependency 'default/a' revision is not up to date")
      expect(p.config('b')).toEqual({ release: '1' })
    },
  },
  {
    row: 'revisions',
    holds: 'compared where name, kind and effective namespace agree, said or not',
    async play(p) {
      const sourceRef = { kind: 'GitRepository', name: 'repo', namespace: 'default' }
      await settled(p, { sourceRef })
      p.apply(unit('a', { suspend: true }))
      publish(p, '2')
      p.apply(asked(git(), '1'))
      await p.pass(2000)
      expect(readyMessage(p, 'b')).toBe("dependency 'default/a' revision is not up to date")
    },
  },
  {
    row: 'revisions',
    holds: 'of sources with different names: never compared, though they hold the same',
    async play(p) {
      publish(p, '1')
      p.start()
      const sourceRef = { kind: 'GitRepository', name: 'copy' }
      p.apply(git(), git('copy'), unit('a'), unit('b', { ...needsA, sourceRef }))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.apply(unit('a', { suspend: true }))
      publish(p, '2')
      p.apply(asked(git('copy'), '1'))
      await p.pass(2000)
      expect([p.config('a'), p.config('b')]).toEqual([{ release: '1' }, { release: '2' }])
    },
  },
  {
    row: 'revisions',
    holds: 'of HelmReleases: never compared',
    async play(p) {
      const chart = (name: string, v: string) => ({
        name,
        version: v,
        templates: () => [config(name, { release: v })],
      })
      const URL_OF_CHARTS = 'https://charts.example'
      p.artifacts.publish(URL_OF_CHARTS, '', { charts: [chart('a', '1.0.0'), chart('b', '1.0.0')] })
      p.start()
      p.apply(charts(), release('a'), release('b', needsA))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      p.apply(release('a', { suspend: true }))
      p.artifacts.publish(URL_OF_CHARTS, '', { charts: [chart('a', '2.0.0'), chart('b', '2.0.0')] })
      await p.pass(90_000)
      expect([p.config('a'), p.config('b')]).toEqual([{ release: '1.0.0' }, { release: '2.0.0' }])
    },
  },
  {
    row: 'revisions are compared as texts',
    holds: 'the same commit under another name is another revision',
    async play(p) {
      await settled(p)
      p.apply(unit('a', { suspend: true }))
      await p.pass(1000)
      const { artifact } = p.status('GitRepository', 'repo') as { artifact: { revision: string } }
      const content = { objects: { a: [config('a', { release: '1' })], b: [config('b', { release: '1' })] } }
      p.artifacts.publish(URL, 'main', content, artifact.revision.replace('main@', 'trunk@'))
      p.apply(asked(git(), '1'))
      await p.pass(2000)
      expect(readyMessage(p, 'b')).toBe("dependency 'default/a' revision is not up to date")
    },
  },
  {
    row: 'a closed edge',
    holds: 'Ready=False, DependencyNotReady; looked at again after 30 s, though it has opened long before',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('b', needsA))
      await p.until('b waits', () => p.condition('Kustomization', 'b')?.reason === 'DependencyNotReady')
      const from = p.now()
      p.apply(unit('a'))
      await p.until('a is ready', () => isReady(p, 'a'))
      expect(p.now() - from).toBeLessThan(2000)
      await p.pass(from + 29_500 - p.now())
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        status: 'False',
        reason: 'DependencyNotReady',
      })
      await p.until('b is ready', () => isReady(p, 'b'))
      expect(p.now() - from).toBeLessThan(31_000)
    },
  },
  {
    row: 'a closed edge',
    holds: 'the time is `--requeue-dependency`, for HelmReleases too',
    options: { requeueDependencyMs: 7000 },
    async play(p) {
      p.artifacts.publish('https://charts.example', '', {
        charts: ['a', 'b'].map((name) => ({ name, version: '1.0.0', templates: () => [config(name, {})] })),
      })
      p.start()
      p.apply(charts(), release('b', needsA))
      await p.until('b waits', () => p.condition('HelmRelease', 'b')?.reason === 'DependencyNotReady')
      const from = p.now()
      p.apply(release('a'))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      expect(p.now() - from).toBeGreaterThan(6900)
      expect(p.now() - from).toBeLessThan(8000)
    },
  },
  {
    row: 'a closed edge',
    holds: 'while it is closed the dependant is not repaired',
    async play(p) {
      await settled(p, { interval: '1m' })
      p.apply(unit('a', { path: './nowhere' }))
      await p.pass(1000)
      p.apply(config('b', { release: 'changed by hand' }))
      await p.pass(10 * 60_000)
      expect(p.config('b')).toEqual({ release: 'changed by hand' })
      p.apply(unit('a'))
      await p.pass(61_000)
      expect(p.config('b')).toEqual({ release: '1' })
    },
  },
  {
    row: 'no kind in an edge',
    holds: 'a Kustomization finds no HelmRelease of that name',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), charts(), release('a'), unit('b', needsA))
      await p.pass(2000)
      expect(readyMessage(p, 'b')).toMatch(/^dependency 'default\/a' not found: kustomizations/)
      expect(p.local.get(RESOURCES.HelmRelease, 'default', 'a')).toBeDefined()
    },
  },
]
