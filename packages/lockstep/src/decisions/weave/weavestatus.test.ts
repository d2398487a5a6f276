import { describe, expect, it } from 'vitest'
import { at, type JsonValue } from '../../../../kube/src/object/index.ts'
import type { PipelineStatus } from '../../api/kinds/pipeline/status.ts'
import { weavePromotion, weaveStatus } from './weavestatus.ts'

type Target = Readonly<Record<string, unknown>>

const OBJECT = {
  metadata: { generation: 3 },
  spec: {
    appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', name: 'podinfo' },
    environments: [{ name: 'dev', targets: [{ namespace: 'dev' }] }],
  },
}
const ready = { namespace: 'dev', ready: true, revision: '6.0.0' }

const said = (targets: readonly Target[], more: object = {}): JsonValue | undefined =>
  weaveStatus({
    object: OBJECT,
    waiting: new Map(),
    promotions: new Map(),
    problems: [],
    nowMs: 0,
    status: { environments: [{ name: 'dev', targets }] } as unknown as PipelineStatus,
    ...more,
  })
const conditions = (targets: readonly Target[], more: object = {}) =>
  (
    at(said(targets, more), 'conditions') as {
      type: string
      status: string
      reason: string
      message: string
    }[]
  ).map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`)

/** The words of `controllers/leveltriggered/controller.go` and `api/v1alpha1/conditions.go`. */
describe('what its conditions say', () => {
  const CHECKED = 'Ready True ReconciliationSucceeded: All clusters checked'
  const PENDING = 'PromotionPending True EnvironmentNotReady'
  const older = { ...ready, revision: '5.0.0' }
  const failing = { ...ready, ready: false, reason: 'NotReady', message: 'install failed' }
  const absent = { namespace: 'dev', ready: false, reason: 'NotFound', message: 'not there' }
  const silent = { ...ready, ready: false, reason: 'TargetUnreachable', message: 'cluster eu is silent' }
  const LOST = 'Ready False TargetNotReadable: One or more targets was not reachable or not present'
  it.each<[string, Target[], string[]]>([
    ['all is well', [ready, ready], [CHECKED]],
    [
      'two revisions',
      [ready, older],
      [CHECKED, `${PENDING}: Waiting for all targets to have the same revision`],
    ],
    [
      'one is not ready, which is no error',
      [ready, failing],
      [CHECKED, `${PENDING}: Waiting for all targets to be ready`],
    ],
    [
      'one is not there',
      [ready, absent],
      [LOST, `${PENDING}: Waiting for all targets to have the same revision`],
    ],
    ['one is out of reach', [ready, silent], [LOST, `${PENDING}: Waiting for all targets to be ready`]],
  ])('%s', (_, targets, expected) => expect(conditions(targets)).toEqual(expected))

  it('that it cannot be served, and nothing of its environments', () => {
    const status = said([ready], { problems: ['spec.appRef: a', 'spec.environments: b'] })
    expect(conditions([ready], { problems: ['spec.appRef: a', 'spec.environments: b'] })).toEqual([
      'Ready False InvalidSpec: spec.appRef: a; spec.environments: b',
    ])
    expect(at(status, 'environments')).toBeUndefined()
  })

  it('names errors of targets, and only those', () => {
    const targets = at(said([ready, failing, absent, silent]), 'environments', 'dev', 'targets') as {
      error?: string
    }[]
    expect(targets.map((t) => t.error)).toEqual([undefined, undefined, 'not there', 'cluster eu is silent'])
  })

  it('has promotions where its definition knows them', () => {
    const promotion = { revision: '6.0.0', succeeded: true }
    const promotions = new Map([['dev', promotion]])
    expect(at(said([ready], { promotions }), 'environments', 'dev', 'promotion')).toEqual(promotion)
    expect(at(said([ready]), 'environments', 'dev')).not.toHaveProperty('promotion')
  })
})

/** As pipeline-controller #214 has it. */
describe('what it says of a promotion', () => {
  const of = (phase: string, state?: string) =>
    weavePromotion({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { revision: '6.0.0' },
      status: {
        phase,
        ...(state ? { result: { pullRequest: { number: 1, url: 'https://h/1', state } } } : {}),
      },
    } as never)
  const tried = { revision: '6.0.0', lastAttemptedTime: '2026-01-01T00:00:00Z' }

  it.each([
    ['open', 'open'],
    ['merged', 'merged'],
    ['closed', 'abandoned'],
  ])('a pull request that is %s is %s', (state, expected) =>
    expect(of('Open', state)).toEqual({
      ...tried,
      succeeded: true,
      pullRequest: { url: 'https://h/1', state: expected },
    }),
  )
  it('nothing before it was tried', () =>
    expect([of('Pending'), of('Prepared')]).toEqual([undefined, undefined]))
  it('that it was tried, before anybody has answered', () =>
    expect(of('Applying')).toEqual({ ...tried, succeeded: false }))
})
