import { describe, expect, it } from 'vitest'
import { pipelineSpec } from '../../api/kinds/pipeline/spec.ts'
import type { EnvironmentStatus } from '../../api/kinds/pipeline/status.ts'
import { decideEnvironment, divergenceRecordedBy, forgetsDivergence } from './environmentdecision.ts'
import { targetObjectRef } from './promotionref.ts'
import type { LastPromotion } from './rollback.ts'
import type { TargetState } from './targetstate.ts'

const appRef = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', name: 'app' }
const pipeline = { namespace: 'platform', name: 'app' }
const verify = { soakSeconds: 0, timeoutSeconds: 60 }
const [environment] = pipelineSpec.parse({
  identity: 'app',
  appRef,
  environments: [
    { name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'manual', verify } },
  ],
}).environments
const target: TargetState = {
  namespace: 'prod',
  cluster: undefined,
  state: 'Ready',
  revision: 'v2.0.0@sha1:9b1c',
  release: undefined,
  ref: targetObjectRef(appRef, { namespace: 'prod', cluster: undefined }),
  blocker: undefined,
}
const last: LastPromotion = {
  name: 'app-prod-2-x',
  phase: 'Succeeded',
  failedIn: undefined,
  reason: 'Promoted',
  message: undefined,
  epoch: 2,
  revision: 'v2.0.0',
  rollbackOf: undefined,
  rollback: 'Off',
  isAsked: false,
  isHandedOn: false,
  isAtBase: false,
}
const look = (of: LastPromotion) =>
  decideEnvironment(
    { environment: environment!, before: undefined, targets: [target], promotions: [of] },
    { pipeline, appRef, holds: [], nowMs: 0 },
  )

describe('a Module that says of v2.0.0 which commit that is', () => {
  it('has arrived at it, verified', () => {
    const { status, blockers } = look(last)
    expect(blockers).toEqual([])
    expect(status).toMatchObject({ arrived: last.name, settled: { revision: 'v2.0.0@sha1:9b1c' } })
  })

  it('is not settled at it while its promotion has not ended', () => {
    expect(look({ ...last, phase: 'Verifying' }).blockers).toMatchObject([{ reason: 'PromotionInProgress' }])
  })
})

describe('an environment that is elsewhere when its promotion has succeeded', () => {
  const at = (nowMs: number, of = last) =>
    decideEnvironment(
      {
        environment: environment!,
        before: undefined,
        promotions: [{ ...of, endedMs: 1000 }],
        targets: [{ ...target, revision: 'v1.0.0' }],
      },
      { pipeline, appRef, holds: [], nowMs },
    )

  it('may be seen from a cache that is behind: it is looked at again', () => {
    expect(at(60_000).status.arrived).toBeUndefined()
    expect(at(60_000).wakeAtMs).toBe(121_000)
  })
  it('has been there, and was led elsewhere, once no cache can be that old', () => {
    expect(at(121_000).status.arrived).toBe(last.name)
    expect(at(121_000, { ...last, phase: 'Failed' }).status.arrived).toBeUndefined()
  })
})

describe('targets of which some were out of reach when the others arrived', () => {
  const [both] = pipelineSpec.parse({
    identity: 'app',
    appRef,
    environments: [
      {
        name: 'prod',
        promotion: { strategy: 'manual' },
        readiness: { minReady: 1 },
        targets: [{ namespace: 'prod' }, { namespace: 'prod', clusterRef: { name: 'eu' } }],
      },
    ],
  }).environments
  const here = { ...target, revision: 'v2.0.0' }
  const eu = (state: TargetState['state'], revision: string): TargetState => ({
    ...here,
    cluster: 'eu',
    state,
    revision,
  })
  const seen = (before: EnvironmentStatus | undefined, ...targets: TargetState[]) =>
    decideEnvironment(
      { environment: both!, before, targets, promotions: [last] },
      { pipeline, appRef, holds: [], nowMs: 0 },
    )

  it('have left nothing where they come back as they were, and do once they have been there', () => {
    const alone = seen(undefined, here, eu('Unreadable', 'v1.0.0')).status
    expect(alone).toMatchObject({ arrived: last.name, targets: [{}, { cluster: 'eu', behind: true }] })
    const back = seen(alone, here, eu('Ready', 'v1.0.0'))
    expect([back.diverged, back.blockers.map((b) => b.reason)]).toEqual([undefined, ['RevisionsDiffer']])
    const there = seen(back.status, here, eu('Ready', 'v2.0.0')).status
    expect(there.targets?.[1]?.behind).toBeUndefined()
    expect(seen(there, here, eu('Ready', 'v1.0.0')).diverged?.to).toBe('v1.0.0')
  })

  it('nor has a target that is added', () => {
    const one = seen(undefined, here).status
    expect(seen(one, here, eu('Ready', 'v1.0.0')).diverged).toBeUndefined()
  })

  it('led away again after it had come back, it is said again', () => {
    const left = { name: 'prod', arrived: last.name, left: last.name }
    expect(seen(left, { ...here, revision: 'v1.0.0' }).status.left).toBe(last.name)
    expect(seen(left, here).status.left).toBeUndefined()
    const to = { ...left, leftTo: ['v1.0.0'] }
    expect(seen(to, { ...here, revision: 'v1.0.0' }).status.leftTo).toEqual(['v1.0.0'])
    expect(seen(to, here).status.leftTo).toBeUndefined()
  })
})

describe('an environment whose Hold is about to be made', () => {
  const there: EnvironmentStatus = {
    name: 'prod',
    settled: { revision: 'v2.0.0', at: '2026-01-01T00:00:00Z' },
    arrived: last.name,
    targets: [{ namespace: 'prod', ready: true }],
  }
  const [free] = pipelineSpec.parse({
    identity: 'app',
    appRef,
    environments: [{ name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'manual' } }],
  }).environments
  const seen = (promotions: LastPromotion[], before: EnvironmentStatus, of = free!) =>
    decideEnvironment(
      { environment: of, before, targets: [{ ...target, revision: 'v1.0.0' }], promotions },
      { pipeline, appRef, holds: [], nowMs: 0 },
    )

  it('is not settled at what somebody has led it to', () => {
    const { status, blockers, diverged: led } = seen([last], there)
    expect([led?.to, status.settled?.revision]).toEqual(['v1.0.0', 'v2.0.0'])
    expect(blockers).toMatchObject([{ reason: 'Held', on: [{ kind: 'Hold', name: 'app-prod-2-left' }] }])
  })

  it('is not settled either where what was brought was taken back at its base', () => {
    const reverted: LastPromotion = { ...last, phase: 'Failed', reason: 'RevertedInGit' }
    const { status, blockers } = seen([reverted], there)
    expect([status.settled?.revision, blockers[0]?.reason]).toEqual(['v2.0.0', 'Held'])
    expect(seen([reverted], { ...there, reverted: last.name }).status.settled?.revision).toBe('v1.0.0')
  })

  it('and is settled where nothing is promoted any more, since none is made there', () => {
    const { promotion: _none, ...observed } = free!
    expect(seen([last], there, observed).status.settled?.revision).toBe('v1.0.0')
  })
})

it('what was said is forgotten by targets that are read now', () => {
  const before: EnvironmentStatus = {
    name: 'prod',
    arrived: last.name,
    left: last.name,
    leftTo: ['v1.0.0'],
    targets: [{ namespace: 'prod', ready: true }],
  }
  const at = (revision: string) =>
    decideEnvironment(
      { environment: environment!, before, targets: [{ ...target, revision }], promotions: [last] },
      { pipeline, appRef, holds: [], nowMs: 0 },
    )
  const [away, elsewhere, back] = [at('v1.0.0'), at('v0.9.0'), at('v2.0.0')]
  expect([away, elsewhere, back].map((l) => forgetsDivergence(before, l.status))).toEqual([false, true, true])
  expect(forgetsDivergence(undefined, back.status)).toBe(false)
  expect(divergenceRecordedBy(back, away).status).toMatchObject({
    current: 'v2.0.0',
    left: last.name,
    leftTo: ['v1.0.0'],
  })
  expect(divergenceRecordedBy(back, back).status).toEqual(back.status)
})
