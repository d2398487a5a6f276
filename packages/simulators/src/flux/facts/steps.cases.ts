/** The order of the steps of a run, and what of the cluster it reads from where. */
import { expect } from 'vitest'
import { asked, charts, config, git, job, type Playground, release, unit } from '../playground.cases.ts'
import { contentOf, type Fact, isReady, needsA, publish, readyMessage, settled } from './fact.cases.ts'

const CHARTS = 'https://charts.example'

export const stepFacts: readonly Fact[] = [
  {
    row: 'own object and source come from the cache',
    holds: 'a Kustomization is run as the cache has it, which may be an old spec',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('a'))
      await p.until('a is ready', () => isReady(p, 'a'))
      await p.pass(1000)
      p.lag.Kustomization = 400
      publish(p, '2')
      p.apply(unit('a', { path: './b' }), asked(git(), '2'))
      await p.pass(10_000)
      const releases = p.writes
        .filter((w) => w.resource === 'configmaps' && w.actor === 'kustomize-controller')
        .map((w) => `${w.key} ${(w.next?.data as { release?: string } | undefined)?.release ?? 'gone'}`)
      expect(releases).toEqual(['default/a 1', 'default/a 2', 'default/b 2', 'default/a gone'])
    },
  },
  {
    row: 'own object and source come from the cache',
    holds: 'the source is the one of the cache: content that is stored already is not applied',
    async play(p) {
      await settledWithLag(p)
      expect(p.config('a')).toEqual({ release: '1' })
      await p.pass(20_000)
      expect(p.config('a')).toEqual({ release: '2' })
    },
  },
  {
    row: 'own object and source come from the cache',
    holds: 'with the gate DirectSourceFetch the source is read from the API server',
    options: { gates: { DirectSourceFetch: true } },
    async play(p) {
      await settledWithLag(p)
      expect(p.config('a')).toEqual({ release: '2' })
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'the finalizer comes first, and a suspended one is left after it',
    async play(p) {
      p.start()
      p.apply(unit('b', { ...needsA, suspend: true }))
      await p.pass(5000)
      expect(p.get('Kustomization', 'b').metadata.finalizers).toEqual(['finalizers.fluxcd.io'])
      expect(p.status('Kustomization', 'b').conditions).toBeUndefined()
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'a source that is not there is said before a dependency that is not there',
    async play(p) {
      p.start()
      p.apply(unit('b', needsA))
      await p.pass(5000)
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        status: 'False',
        reason: 'ArtifactFailed',
        message: 'GitRepository.source.toolkit.fluxcd.io "repo" not found',
      })
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'an artifact that is not there is said before a dependency, and looked for again after 30 s',
    async play(p) {
      p.start()
      p.apply(git(), unit('b', needsA))
      await p.pass(5000)
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        reason: 'ArtifactFailed',
        message: 'Source artifact not found, retrying in 30s',
      })
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'dependencies stand before the build: an open one shows what is wrong with the content',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('b', { ...needsA, path: './nowhere' }))
      await p.pass(5000)
      expect(readyMessage(p, 'b')).toMatch(/^dependency 'default\/a' not found/)
      p.apply(unit('a'))
      await p.pass(31_000)
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        reason: 'ArtifactFailed',
        message: 'kustomization path not found: stat ./nowhere: no such file or directory',
      })
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'one object that is refused keeps all of its stage from being applied',
    async play(p) {
      const bad = config('Not_A_Name', {})
      publish(p, '1', { a: [config('a', { release: '1' }), bad] })
      p.start()
      p.apply(git(), unit('a'))
      await p.until('a has failed', () => p.condition('Kustomization', 'a')?.status === 'False')
      expect(p.condition('Kustomization', 'a')?.reason).toBe('ReconciliationFailed')
      expect(readyMessage(p, 'a')).toMatch(/^ConfigMap\/default\/Not_A_Name dry-run failed \(Invalid\): /)
      expect(p.config('a')).toBeUndefined()
    },
  },
  {
    row: 'order of a Kustomization',
    holds: 'nothing is pruned where something could not be applied; pruning comes before health',
    async play(p) {
      publish(p, '1', { a: [config('a', {}), config('old', {})] })
      p.start()
      p.apply(git('repo', { interval: '10s' }), unit('a', { wait: true, retryInterval: '10s' }))
      await p.until('a is ready', () => isReady(p, 'a'))
      publish(p, '2', { a: [config('a', {}), config('Not_A_Name', {})] })
      await p.pass(20_000)
      expect([isReady(p, 'a'), p.config('old')]).toEqual([false, {}])
      p.world.fail({ workload: 'never', outcome: 'NeverReady' })
      publish(p, '3', { a: [config('a', {}), job('never')] })
      await p.pass(25_000)
      expect([isReady(p, 'a'), p.config('old')]).toEqual([false, undefined])
    },
  },
  {
    row: 'order of a HelmRelease',
    holds: 'its HelmChart is written before its dependencies are looked at',
    async play(p) {
      p.start()
      p.apply(charts(), release('b', needsA))
      await p.pass(5000)
      expect(p.has('HelmChart', 'default-b')).toBe(true)
      expect(p.condition('HelmRelease', 'b')?.message).toBe(
        `unable to get 'default/a' dependency: helmreleases.helm.toolkit.fluxcd.io "a" not found`,
      )
    },
  },
  {
    row: 'order of a HelmRelease',
    holds: 'then the source, then the values, then the release',
    async play(p) {
      p.start()
      const valuesFrom = [{ kind: 'ConfigMap', name: 'values' }]
      p.apply(charts(), release('b', { valuesFrom }))
      await p.pass(5000)
      expect(p.condition('HelmRelease', 'b')?.reason).toBe('SourceNotReady')
      p.artifacts.publish(CHARTS, '', {
        charts: [{ name: 'b', version: '1.0.0', templates: () => [config('b', { release: '1' })] }],
      })
      await p.until('the values are missed', () => p.condition('HelmRelease', 'b')?.reason === 'ValuesError')
      expect(p.condition('HelmRelease', 'b')?.message).toBe(
        `could not find ConfigMap 'default/values': configmaps "values" not found`,
      )
      p.apply(config('values', { 'values.yaml': 'a: 1' }))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      expect(p.config('b')).toEqual({ release: '1' })
    },
  },
  {
    row: 'currency of the source',
    holds: 'a Kustomization looks at neither generation nor Ready of its source',
    async play(p) {
      await settled(p)
      p.apply(git('repo', { ref: { branch: 'nowhere' } }), unit('a', { path: './b' }))
      await p.pass(5000)
      const source = p.get('GitRepository', 'repo')
      expect(p.condition('GitRepository', 'repo')?.status).toBe('False')
      expect(p.status('GitRepository', 'repo').observedGeneration).not.toBe(source.metadata.generation)
      expect([isReady(p, 'a'), p.status('Kustomization', 'a').observedGeneration]).toEqual([true, 2])
    },
  },
  {
    row: 'currency of the source',
    holds: 'a HelmRelease wants the newest generation of its source reconciled',
    async play(p) {
      const chart = (version: string) => ({ name: 'b', version, templates: () => [config('b', { version })] })
      p.artifacts.publish(CHARTS, '', { charts: [chart('1.0.0')] })
      p.start()
      const spec = (version: string) => ({
        chart: { spec: { chart: 'b', version, sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
      })
      p.apply(charts(), release('b', spec('1.0.0')))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
      p.apply(release('b', spec('2.0.0')))
      await p.pass(5000)
      expect(p.condition('HelmRelease', 'b')).toMatchObject({
        status: 'False',
        reason: 'SourceNotReady',
      })
      expect(p.config('b')).toEqual({ version: '1.0.0' })
    },
  },
]

/** `a` at release 1, the repository at 2 for five seconds, and a run of `a` since. */
async function settledWithLag(p: Playground): Promise<void> {
  publish(p, '1')
  p.start()
  p.apply(git(), unit('a'))
  await p.until('a is ready', () => isReady(p, 'a'))
  await p.pass(30_000)
  p.lag.GitRepository = 20_000
  const second = publish(p, '2')
  p.pretend('GitRepository', 'repo', {
    artifact: { ...artifactOf(p), revision: second, digest: p.artifacts.keep(contentOf('2')) },
  })
  p.apply(asked(unit('a'), '2'))
  await p.pass(5000)
}

const artifactOf = (p: Playground): object => p.status('GitRepository', 'repo').artifact as object
