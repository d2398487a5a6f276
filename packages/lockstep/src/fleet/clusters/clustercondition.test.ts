import { describe, expect, it } from 'vitest'
import { adviceOf, isKnownFact } from '../../api/reasons/index.ts'
import type { ClusterView } from './cluster.ts'
import { type ClusterConditionFacts, clusterConditionOf } from './clustercondition.ts'

const view = (over: Partial<ClusterView> = {}): ClusterView => ({
  kind: 'Secret',
  namespace: 'platform',
  name: 'c1',
  standsIn: false,
  objectName: 'c1',
  uid: 'o1',
  labels: {},
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Source', source: { type: 'Static', endpoint: { url: 'https://c1' } }, version: '1' },
  ...over,
})

const session = (over: object = {}): ClusterConditionFacts['session'] => ({
  state: 'Connected',
  uid: 'u1',
  problem: undefined,
  problemSince: undefined,
  hostRefusal: undefined,
  rejected: false,
  refusesAnswer: false,
  refusedAnswer: undefined,
  muteWatch: undefined,
  hidden: false,
  ...over,
})

const of = (facts: Partial<ClusterConditionFacts>) =>
  clusterConditionOf({
    view: view(),
    session: session(),
    record: undefined,
    duplicateOf: undefined,
    ...facts,
  })

const REFUSED = { session: session({ state: 'Unreachable', problem: 'refused', problemSince: 0 }) }

const KNOWN = { kind: 'Secret', uid: 'u1', objectUid: 'o1' }

describe('the condition of a cluster', () => {
  it.each<[string, Partial<ClusterConditionFacts>, string, object]>([
    [
      'that was reached before, by another leader',
      { session: session({ state: 'Provisioning', uid: undefined }), record: KNOWN },
      'Connecting',
      {},
    ],
    [
      'that was reached before, and does not answer',
      {
        session: session({ state: 'Provisioning', uid: undefined, problem: 'refused', problemSince: 0 }),
        record: KNOWN,
      },
      'Connecting',
      { error: 'refused', since: '1970-01-01T00:00:00Z' },
    ],
    [
      'that was never reached',
      { session: session({ state: 'Provisioning', uid: undefined }) },
      'Provisioning',
      { state: 'Connecting' },
    ],
    ['that does not answer', REFUSED, 'Unreachable', { error: 'refused', since: '1970-01-01T00:00:00Z' }],
    [
      'that answers something else about one kind',
      { session: session({ refusedAnswer: 'list Deployments: over 512 MiB' }) },
      'Connected',
      { error: 'list Deployments: over 512 MiB' },
    ],
    [
      'whose watches deliver nothing',
      { session: session({ muteWatch: { kind: 'apps/Deployment', since: 0 } }) },
      'Connected',
      { state: 'Mute', resource: 'apps/Deployment', since: '1970-01-01T00:00:00Z' },
    ],
    [
      'whose credential ends soon',
      { credentialEnd: { state: 'Expiring', of: 'Token', endsAt: 0 } },
      'Connected',
      { credential: 'Token', at: '1970-01-01T00:00:00Z' },
    ],
    [
      'whose credential has ended',
      {
        session: undefined,
        record: KNOWN,
        credentialEnd: { state: 'Expired', of: 'Certificate', endsAt: 0 },
      },
      'Unreachable',
      { credential: 'Certificate', at: '1970-01-01T00:00:00Z' },
    ],
    [
      'that answers something else',
      { session: session({ state: 'Unreachable', problem: 'get x: 200 text/html', refusesAnswer: true }) },
      'Unreachable',
      { error: 'get x: 200 text/html' },
    ],
    [
      'without a credential',
      { view: view({ access: { type: 'Missing', message: 'no key' } }), session: undefined },
      'Provisioning',
      { error: 'no key' },
    ],
    [
      'with another identity',
      { record: { kind: 'Secret', uid: 'u0', objectUid: 'o1' } },
      'IdentityChanged',
      { recorded: 'u0', uid: 'u1' },
    ],
    ['that is paused', { view: view({ paused: 'spec.paused' }) }, 'Paused', { by: 'spec.paused' }],
    [
      'that two objects name',
      { duplicateOf: view({ objectName: 'c2', name: 'c2' }) },
      'Absent',
      { object: 'Secret platform/c1', duplicateOf: 'Secret platform/c2' },
    ],
  ])('%s has a blocker with facts, and advice', (_, facts, state, values) => {
    const { blocker, ...condition } = of(facts)
    expect(condition.state).toBe(state)
    expect(blocker).toMatchObject({
      reason: condition.reason,
      message: condition.message,
      facts: values,
    })
    expect(blocker!.on![0]).toEqual({ kind: 'Cluster', name: 'c1', namespace: 'platform' })
    expect(isKnownFact(blocker!)).toBe(true)
    expect(adviceOf(blocker!)).toMatch(/\S/)
  })

  it('that is connected has none', () => {
    expect(of({})).toEqual({ state: 'Connected', reason: undefined, message: '' })
  })
})
