/** HelmReleases: charts as images, names, upgrades that fail; and Kustomizations whose objects cannot change. */
import { expect } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import {
  asked,
  charts,
  config,
  deployment,
  git,
  job,
  type Playground,
  release,
  unit,
} from '../playground.cases.ts'
import { type Fact, isReady, publish } from './fact.cases.ts'

const CHARTS = 'https://charts.example'
const IMAGE = 'oci://registry.example/a'

const image = (spec: object = {}): KubeObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'OCIRepository',
  metadata: { name: 'a', namespace: 'default' },
  spec: { interval: '10m', url: IMAGE, ref: { tag: '1.2.3' }, ...spec },
})

const byImage = { chart: undefined, chartRef: { kind: 'OCIRepository', name: 'a' } }

/** The tag points to an image with this content. */
const push = (p: Playground, hex: string, v: string): string =>
  p.artifacts.publish(
    IMAGE,
    '1.2.3',
    { charts: [{ name: 'a', version: '1.2.3', templates: () => [config('a', { v })] }] },
    `1.2.3@sha256:${hex.repeat(64)}`,
  )

const isReadyRelease = (p: Playground, name = 'a'): boolean =>
  p.condition('HelmRelease', name)?.status === 'True'

const bad = config('Not_A_Name', {})

export const releaseFacts: readonly Fact[] = [
  {
    row: 'a chart as an image',
    holds: 'its digest is a part of its version, so that a tag that moves is another chart',
    async play(p) {
      push(p, 'a', 'old')
      p.start()
      p.apply(image(), release('a', byImage))
      await p.until('a is ready', () => isReadyRelease(p))
      await p.pass(1000)
      expect(p.status('HelmRelease', 'a')).toMatchObject({
        lastAttemptedRevision: `1.2.3+${'a'.repeat(12)}`,
        lastAttemptedRevisionDigest: `sha256:${'a'.repeat(64)}`,
        history: [{ chartVersion: `1.2.3+${'a'.repeat(12)}`, ociDigest: `sha256:${'a'.repeat(64)}` }],
      })
      push(p, 'b', 'new')
      p.apply(asked(image(), '1'))
      await p.pass(3000)
      expect(p.config('a')).toEqual({ v: 'new' })
      expect(p.has('HelmChart', 'default-a')).toBe(false)
    },
  },
  {
    row: 'names of releases',
    holds: 'the own name, with the target namespace in front of it if there is one',
    async play(p) {
      const chart = (name: string) => ({
        name,
        version: '1.0.0',
        templates: () => [{ ...config(name, {}), metadata: { name } }],
      })
      p.artifacts.publish(CHARTS, '', { charts: [chart('a'), chart('b'), chart('c')] })
      p.start()
      p.apply(
        charts(),
        release('a'),
        release('b', { targetNamespace: 'kube-public' }),
        release('c', { releaseName: 'x' }),
      )
      await p.until('all are ready', () => ['a', 'b', 'c'].every((n) => isReadyRelease(p, n)))
      await p.pass(1000)
      const names = ['a', 'b', 'c'].map((n) => {
        const [last] = p.status('HelmRelease', n).history as { name: string; namespace: string }[]
        return `${last?.namespace}/${last?.name}`
      })
      expect(names).toEqual(['default/a', 'kube-public/kube-public-b', 'default/x'])
      expect(p.local.get('configmaps', 'kube-public', 'b')).toBeDefined()
    },
  },
  {
    row: 'an upgrade that fails',
    holds: 'is not tried again for the same generation, chart and values; another one is',
    async play(p) {
      const a = (v: unknown): KubeObject[] => {
        const { broken } = v as { broken?: boolean }
        return broken ? [config('a', { n: '2' }), bad] : [config('a', { n: '1' })]
      }
      p.artifacts.publish(CHARTS, '', { charts: [{ name: 'a', version: '1.0.0', templates: a }] })
      p.start()
      p.apply(charts(), release('a', { interval: '1m' }))
      await p.until('a is ready', () => isReadyRelease(p))
      p.apply(release('a', { interval: '1m', values: { broken: true } }))
      await p.pass(5000)
      expect(p.condition('HelmRelease', 'a')).toMatchObject({
        status: 'False',
        reason: 'UpgradeFailed',
        message: expect.stringMatching(
          /^Helm upgrade failed for release default\/a with chart a@1.0.0: failed to create resource: /,
        ),
      })
      expect(p.condition('HelmRelease', 'a', 'Stalled')).toMatchObject({
        reason: 'RetriesExceeded',
        message: 'Failed to upgrade after 1 attempt(s)',
      })
      expect(p.status('HelmRelease', 'a')).toMatchObject({
        observedGeneration: 2,
        failures: 1,
        upgradeFailures: 1,
      })
      const from = p.writes.length
      await p.pass(5 * 60_000)
      expect(p.writes.slice(from).filter((w) => w.resource === 'secrets')).toEqual([])
      p.apply(release('a', { interval: '1m', values: { broken: false } }))
      await p.until('a is ready again', () => isReadyRelease(p))
      expect(p.condition('HelmRelease', 'a', 'Stalled')).toBeUndefined()
      expect(p.config('a')).toEqual({ n: '1' })
    },
  },
  {
    row: 'an upgrade that waits',
    holds: 'Helm waits for health, and a release whose objects do not get healthy has failed',
    async play(p) {
      const web = { name: 'a', version: '1.0.0', templates: () => [deployment('web')] }
      p.artifacts.publish(CHARTS, '', { charts: [web] })
      p.world.fail({ workload: 'web', outcome: 'CrashLoop' })
      p.start()
      p.apply(charts(), release('a', { timeout: '30s' }))
      await p.pass(45_000)
      expect(p.condition('HelmRelease', 'a')?.message).toBe(
        "Helm install failed for release default/a with chart a@1.0.0: timeout waiting for: [Deployment/default/web status: 'InProgress']",
      )
    },
  },
  {
    row: 'a client that died',
    holds: 'leaves a pending release: the controller counts it as failed and upgrades',
    async play(p) {
      const a = { name: 'a', version: '1.0.0', templates: () => [config('a', {}), config('b', {})] }
      p.artifacts.publish(CHARTS, '', { charts: [a] })
      const first = p.start()
      p.apply(charts(), release('a'))
      await p.until('it is under way', () => p.config('a') !== undefined)
      first.stop()
      await p.pass(1000)
      expect(p.config('b')).toBeUndefined()
      p.start()
      await p.until('a is ready', () => isReadyRelease(p))
      expect(p.config('b')).toEqual({})
    },
  },
  {
    row: 'a Job that changes',
    holds: 'cannot be applied; with `force` it is deleted and made anew',
    async play(p) {
      publish(p, '1', { a: [job('check', 'registry.example/check:1')] })
      p.start()
      p.apply(git('repo', { interval: '5s' }), unit('a', { wait: true, retryInterval: '5s' }))
      await p.until('a is ready', () => isReady(p, 'a'))
      const uid = p.local.get('jobs.batch', 'default', 'check')?.metadata.uid
      publish(p, '2', { a: [job('check', 'registry.example/check:2')] })
      await p.pass(15_000)
      expect(p.condition('Kustomization', 'a')).toMatchObject({
        reason: 'ReconciliationFailed',
        message: expect.stringMatching(
          /^Job\/default\/check dry-run failed \(Invalid\): .*field is immutable/s,
        ),
      })
      p.apply(unit('a', { wait: true, retryInterval: '5s', force: true }))
      await p.until('a is ready again', () => isReady(p, 'a'))
      expect(p.local.get('jobs.batch', 'default', 'check')?.metadata.uid).not.toBe(uid)
    },
  },
  {
    row: 'fields that are not played',
    holds: 'are refused by their names',
    async play(p) {
      publish(p, '1')
      p.artifacts.publish(CHARTS, '', { charts: [{ name: 'b', version: '1.0.0', templates: () => [] }] })
      p.start()
      p.apply(git(), charts(), unit('a', { images: [{ name: 'x', newTag: '1' }], targetNamespace: 'x' }))
      p.apply(release('b', { driftDetection: { mode: 'enabled' } }))
      await p.pass(5000)
      expect(p.condition('Kustomization', 'a')?.message).toBe(
        'not simulated: spec.images, spec.targetNamespace',
      )
      expect(p.condition('HelmRelease', 'b')?.message).toBe('not simulated: spec.driftDetection')
    },
  },
]
