import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { ClusterResourceSet } from '../../api/kinds/clusterresourceset/columns.ts'
import { CAPI_PAUSED, SET } from '../../api/kinds/clusterresourceset/spec.ts'
import {
  decideHandshake,
  entryCounts,
  type HandshakeFacts,
  handBackPatch,
  isPauseRequestedAgain,
  isUnknownUpstream,
  pausePatch,
  sourceActionOf,
} from './handshakedecision.ts'

type Annotations = Readonly<Record<string, string>>
const set = (annotations: Annotations, strategy = 'ApplyOnce'): ClusterResourceSet => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { name: 'crs1', annotations },
  spec: { clusterSelector: {}, strategy },
})
const pauseOf = (annotations?: Annotations) => pausePatch({ name: 'crs1', annotations })

describe('the pause that holds Cluster API off', () => {
  it('is written where there is none', () => {
    expect(pauseOf()).toEqual({ [CAPI_PAUSED]: 'lockstep' })
    expect(pauseOf({ [SET.paused]: 'false' })).toEqual({ [CAPI_PAUSED]: 'lockstep' })
  })

  it.each(['', 'true', 'false'])('keeps that of a user, whatever its value: %j', (value) => {
    const patch = { [CAPI_PAUSED]: 'lockstep', [SET.paused]: 'true' }
    expect(pauseOf({ [CAPI_PAUSED]: value })).toEqual(patch)
  })

  it('is asked for anew where none was there the moment before', () => {
    expect(isPauseRequestedAgain({ name: 'crs1' })).toBe(true)
    expect(isPauseRequestedAgain({ name: 'crs1', annotations: { [CAPI_PAUSED]: '' } })).toBe(false)
  })

  it('is there already', () => {
    expect(pauseOf({ [CAPI_PAUSED]: 'lockstep' })).toBeUndefined()
  })
})

/** Seconds after the pause was written. */
const s = (seconds: number) => 1_000_000 + seconds * 1000
const lease = (renewed: number, acquired?: number) => ({
  name: 'capi-system/controller-leader-election-capi',
  renewedMs: s(renewed),
  durationMs: 15_000,
  acquiredMs: acquired === undefined ? undefined : s(acquired),
})
const facts = (more: Partial<HandshakeFacts> = {}): HandshakeFacts => ({
  pausedMs: s(0),
  acknowledgedMs: undefined,
  hasWebhooks: true,
  lease: lease(0),
  isAssumedInactive: false,
  ...more,
})
const proceed = (because: string) => ({ kind: 'Proceed', because })
const wait = (until: number) => ({ kind: 'Wait', untilMs: s(until), why: undefined })

describe('the handshake', () => {
  it.each<readonly [string, Partial<HandshakeFacts>, number, object]>([
    ['nothing is said yet', {}, 1, wait(60)],
    ['it is acknowledged', { acknowledgedMs: s(2) }, 2, proceed('Acknowledged')],
    [
      'it is, by a holder of long standing',
      { acknowledgedMs: s(2), lease: lease(0, -58) },
      2,
      proceed('Acknowledged'),
    ],
    [
      'it is, by a new holder: the former one may be at work',
      { acknowledgedMs: s(2), lease: lease(0, -57) },
      2,
      wait(12),
    ],
    ['10 s later', { acknowledgedMs: s(2), lease: lease(0, -57) }, 12, proceed('Acknowledged')],
    ['the Lease changes hands after that', { acknowledgedMs: s(2), lease: lease(5, 5) }, 6, wait(15)],
    ['Cluster API is not there', { lease: undefined, hasWebhooks: false }, 0, proceed('Absent')],
    ['only its Lease is gone', { lease: undefined }, 1, wait(60)],
    ['only its webhooks are gone', { hasWebhooks: false }, 1, wait(60)],
    ['its Lease has expired twice over, but the pause is young', { lease: lease(-100) }, 59, wait(60)],
    ['and the pause is old', { lease: lease(-100) }, 60, proceed('Expired')],
    ['the Lease has expired twice over just now', { lease: lease(40) }, 70, proceed('Expired')],
    ['somebody vouches for it', { isAssumedInactive: true }, 0, proceed('AssumedInactive')],
  ])('%s', (_, more, now, expected) => {
    expect(decideHandshake(facts(more), s(now))).toEqual(expected)
  })

  it('complains after a minute, and looks again when the Lease would have expired twice over', () => {
    expect(decideHandshake(facts({ lease: lease(57) }), s(60))).toEqual({
      kind: 'Wait',
      untilMs: s(87),
      why: {
        controller: 'ClusterAPI',
        lease: 'capi-system/controller-leader-election-capi',
        seconds: 3,
      },
    })
    const without = decideHandshake(facts({ lease: undefined }), s(60))
    expect(without).toMatchObject({ kind: 'Wait', untilMs: undefined })
    expect(without).toMatchObject({
      why: { controller: 'ClusterAPI' },
    })
  })

  it('does not complain of a Lease that has expired: at the end of the minute it goes on', () => {
    const gone = facts({ lease: lease(-100) })
    const before = decideHandshake(gone, s(1))
    expect(before).toEqual(wait(60))
    expect(decideHandshake(gone, s(60))).toEqual(proceed('Expired'))
  })

  it('any facts', () => {
    const time = fc.integer({ min: -200, max: 200 })
    const input = fc
      .record({
        acknowledged: fc.option(fc.nat(200), { nil: undefined }),
        hasWebhooks: fc.boolean(),
        lease: fc.option(fc.tuple(time, fc.option(time, { nil: undefined })), { nil: undefined }),
        now: fc.nat(300),
      })
      .map((x) => ({
        now: s(x.now),
        facts: facts({
          acknowledgedMs: x.acknowledged === undefined ? undefined : s(Math.min(x.acknowledged, x.now)),
          hasWebhooks: x.hasWebhooks,
          lease: x.lease && lease(...x.lease),
        }),
      }))
    decidesAlike(input, (x) => decideHandshake(x.facts, x.now), {
      'nobody goes on while a live holder has said nothing': (x, answer) => {
        const isLive = x.facts.lease !== undefined && x.now - x.facts.lease.renewedMs < 30_000
        if (isLive && x.facts.acknowledgedMs === undefined) expect(answer.kind).toBe('Wait')
      },
      'who waits is told when to look, and then the answer is another': (x, answer) => {
        if (answer.kind !== 'Wait' || answer.untilMs === undefined) return
        expect(answer.untilMs).toBeGreaterThan(x.now)
        expect(decideHandshake(x.facts, answer.untilMs)).not.toEqual(answer)
      },
      'who goes on does so later too': (x, answer) => {
        if (answer.kind === 'Proceed') expect(decideHandshake(x.facts, x.now + 5_000)).toEqual(answer)
      },
    })
  })
})

describe('an entry of a binding', () => {
  const entry = { kind: 'ConfigMap', name: 'a', hash: 'h', applied: true } as const
  const created = Date.UTC(2026, 0, 1, 12)
  it.each([
    ['2026-01-01T12:00:01Z', true],
    ['2026-01-01T11:55:00Z', true],
    ['2026-01-01T11:54:59Z', false],
    ['2025-01-01T12:00:00Z', false],
    [undefined, true],
    ['yesterday', true],
  ])('of %s is about the cluster that was made at 12:00: %s', (lastAppliedTime, counts) => {
    expect(entryCounts({ ...entry, lastAppliedTime }, created)).toBe(counts)
  })

  it.each([
    ['ApplyOnce', 'nothing', 'nothing'],
    ['Reconcile', 'nothing', 'apply (hash differs)'],
    ['Continuous', 'metadata only', 'apply (hash differs)'],
  ] as const)('in %s is worth: equal %s, differing %s', (mode, equal, differing) => {
    expect(sourceActionOf(mode, entry, 'h')).toBe(equal)
    expect(sourceActionOf(mode, entry, 'other')).toBe(differing)
    expect(sourceActionOf(mode, { ...entry, applied: false }, 'h')).toBe('apply (not applied)')
    expect(sourceActionOf(mode, undefined, 'h')).toBe('apply (not applied)')
  })
})

describe('hand-back', () => {
  const ours = { [SET.managed]: 'true', [CAPI_PAUSED]: 'lockstep', [SET.interval]: '1m' }

  it('takes off what holds Cluster API off, and leaves settings', () => {
    expect(handBackPatch(set(ours))).toEqual({
      ok: true,
      value: { [SET.managed]: null, [CAPI_PAUSED]: null },
    })
    expect(handBackPatch(set({ ...ours, [SET.paused]: 'false', [SET.mode]: 'Continuous' })).ok).toBe(true)
  })

  it("leaves a user's pause, as Cluster API knows it", () => {
    const patch = { [SET.managed]: null, [CAPI_PAUSED]: 'true', [SET.paused]: null }
    expect(handBackPatch(set({ ...ours, [SET.paused]: 'true' }))).toEqual({ ok: true, value: patch })
  })

  it('leaves a pause that is not ours', () => {
    expect(handBackPatch(set({ [SET.managed]: 'true', [CAPI_PAUSED]: '' }))).toEqual({
      ok: true,
      value: { [SET.managed]: null },
    })
  })

  it('is refused for what Cluster API does not know', () => {
    expect(handBackPatch(set(ours, 'Continuous'))).toEqual({
      ok: false,
      error: 'set spec.strategy to Reconcile first: Cluster API does not know Continuous',
    })
  })

  it('and takeover again find the same pause', () => {
    for (const user of [{}, { [CAPI_PAUSED]: 'true' }] as Annotations[]) {
      const after = (a: Annotations, patch: Readonly<Record<string, string | null>> = {}): Annotations =>
        Object.fromEntries(
          Object.entries({ ...a, ...patch }).flatMap(([k, v]) => (v === null ? [] : [[k, v]])),
        )
      const taken = after(user, pauseOf(user))
      const patch = handBackPatch(set(taken))
      expect(after(taken, patch.ok ? patch.value : {})).toEqual(user)
    }
  })
})

it("Continuous in the field is not known where the definition is Cluster API's, unless an annotation says it as well", () => {
  const spec = { clusterSelector: {}, strategy: 'Continuous' }
  const annotated = { name: 'crs1', annotations: { [SET.mode]: 'Continuous' } }
  expect(isUnknownUpstream({ metadata: { name: 'crs1' }, spec }, false)).toBe(true)
  expect(isUnknownUpstream({ metadata: { name: 'crs1' }, spec }, true)).toBe(false)
  expect(isUnknownUpstream({ metadata: annotated, spec }, false)).toBe(false)
  expect(
    isUnknownUpstream({ metadata: { name: 'crs1' }, spec: { ...spec, strategy: 'Reconcile' } }, false),
  ).toBe(false)
})
