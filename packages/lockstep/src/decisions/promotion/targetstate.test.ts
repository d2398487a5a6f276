import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { AppRef } from './promotionref.ts'
import { targetStateOf } from './targetstate.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const FLUX: AppRef = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' }
const READY = [{ type: 'Ready', status: 'True', observedGeneration: 3 }]

const object = (appRef: AppRef, status: unknown, metadata: object = {}): KubeObject =>
  ({
    apiVersion: appRef.apiVersion,
    kind: appRef.kind,
    spec: { replicas: 1 },
    metadata: { name: 'podinfo', namespace: 'prod', generation: 3, ...metadata },
    status,
  }) as KubeObject

const level = (appRef: AppRef, status: unknown, o: { expr?: string; metadata?: object } = {}) =>
  targetStateOf(
    { appRef, revisionExpr: o.expr },
    { namespace: 'prod', cluster: undefined },
    { type: 'Present', object: object(appRef, status, o.metadata) },
    NOW,
  )

const helm = {
  observedGeneration: 3,
  conditions: READY,
  history: [{ status: 'deployed', chartVersion: '6.0.1' }],
}

describe('the revision of a target, by its kind', () => {
  const app = (apiVersion: string, kind: string): AppRef => ({ apiVersion, kind, name: 'podinfo' })
  const flux = { observedGeneration: 3, conditions: READY }
  it.each<[AppRef, object, string]>([
    [
      app('kustomize.toolkit.fluxcd.io/v1', 'Kustomization'),
      { ...flux, lastAppliedRevision: 'main@sha1:a' },
      'main@sha1:a',
    ],
    [
      app('kustomize.toolkit.fluxcd.io/v1', 'Kustomization'),
      { ...flux, lastAppliedRevision: 'latest@sha256:b', lastAppliedOriginRevision: 'v1@sha1:a' },
      'v1@sha1:a',
    ],
    [FLUX, helm, '6.0.1'],
    [FLUX, { ...helm, history: [{ status: 'failed', chartVersion: '6.0.2' }, helm.history[0]] }, '6.0.1'],
    [
      app('helm.toolkit.fluxcd.io/v2beta1', 'HelmRelease'),
      { ...flux, lastAppliedRevision: '5.0.0' },
      '5.0.0',
    ],
    [
      app('helm.toolkit.fluxcd.io/v2beta2', 'HelmRelease'),
      { ...flux, lastAppliedRevision: '5.0.0' },
      '5.0.0',
    ],
    [
      app('lockstep.dev/v1alpha1', 'Module'),
      { ...flux, sourceRevision: 'v2@sha1:a', release: '2026.11' },
      'v2@sha1:a',
    ],
    [
      app('argoproj.io/v1alpha1', 'Application'),
      { sync: { status: 'Synced', revision: 'abc' }, health: { status: 'Healthy' } },
      'abc',
    ],
  ])('%j', (appRef, status, revision) => {
    expect(level(appRef, status)).toMatchObject({ state: 'Ready', revision, blocker: undefined })
  })

  it('of a Module its release, too', () => {
    const status = { ...flux, sourceRevision: 'v2@sha1:a', release: '2026.11' }
    expect(level(app('lockstep.dev/v1alpha1', 'Module'), status)).toMatchObject({ release: '2026.11' })
  })

  it('of any kind by an expression', () => {
    const status = { ...flux, version: 'v9' }
    const thing = app('example.com/v1', 'Thing')
    expect(level(thing, status, { expr: 'object.status.version' })).toMatchObject({ revision: 'v9' })
    expect(level(thing, status)).toMatchObject({
      state: 'Unready',
      blocker: { reason: 'RevisionUnknown', facts: { because: 'ExpressionMissing' } },
    })
    expect(level(thing, status, { expr: 'object.status.none' }).blocker).toMatchObject({
      facts: { because: 'ExpressionFailed', error: expect.stringContaining('none') },
    })
    expect(level(thing, status, { expr: '1' }).blocker).toMatchObject({
      facts: { because: 'ExpressionNotText', expression: '1' },
    })
  })

  it('of a kind without a condition Ready where it is healthy', () => {
    const deployment = app('apps/v1', 'Deployment')
    const expr = 'object.metadata.labels.version'
    const metadata = { labels: { version: 'v9' } }
    const conditions = [{ type: 'Available', status: 'True' }]
    const replicas = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 }
    const status = { observedGeneration: 3, conditions, ...replicas }
    expect(level(deployment, status, { expr, metadata })).toMatchObject({ state: 'Ready', revision: 'v9' })
    expect(level(deployment, { ...status, observedGeneration: 2 }, { expr, metadata })).toMatchObject({
      state: 'Unready',
    })
  })
})

describe('a target that is not ready says why, and keeps its revision', () => {
  it.each<[string, object, string]>([
    ['generation', { ...helm, observedGeneration: 2 }, 'is not reconciled yet: generation 2 of 3 observed'],
    [
      'never seen',
      { ...helm, observedGeneration: undefined },
      'is not reconciled yet: status.observedGeneration is missing',
    ],
    [
      'a condition of before',
      { ...helm, conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }] },
      'is not reconciled yet: condition Ready is of generation 2 of 3',
    ],
    [
      'False',
      {
        ...helm,
        conditions: [{ type: 'Ready', status: 'False', reason: 'UpgradeFailed', message: 'timeout' }],
      },
      'is not ready: UpgradeFailed: timeout',
    ],
    ['no condition', { ...helm, conditions: [] }, 'is not ready: condition Ready is missing'],
  ])('%s', (_, status, why) => {
    expect(level(FLUX, status)).toMatchObject({
      state: 'Unready',
      revision: '6.0.1',
      blocker: { reason: 'TargetNotReady', message: `HelmRelease prod/podinfo ${why}` },
    })
  })

  it('being deleted', () => {
    const deleted = level(FLUX, helm, { metadata: { deletionTimestamp: '2026-11-23T11:00:00Z' } })
    expect(deleted).toMatchObject({
      state: 'Unready',
      blocker: { message: 'HelmRelease prod/podinfo is terminating' },
    })
  })

  it('ready, and without a revision', () => {
    expect(level(FLUX, { ...helm, history: [] })).toMatchObject({
      state: 'Unready',
      blocker: { reason: 'RevisionUnknown' },
    })
  })

  it('out of reach, and where', () => {
    const target = { namespace: 'prod', cluster: 'eu' }
    const why = { because: 'NoAnswer', detail: 'dial tcp: i/o timeout' } as const
    const seen = { type: 'Unreadable', why, namespace: 'platform' } as const
    expect(targetStateOf({ appRef: FLUX, revisionExpr: undefined }, target, seen, NOW)).toMatchObject({
      state: 'Unreadable',
      blocker: {
        reason: 'TargetUnreachable',
        message:
          'HelmRelease prod/podinfo on eu is unreachable: cluster eu: no answer: dial tcp: i/o timeout',
      },
    })
  })
})
