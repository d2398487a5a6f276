import type { KubeObject } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import { blocked } from '../../api/blocker.ts'
import type { WaitRef } from '../../api/reasons/index.ts'
import { type Answer, answerOf, type ObjectWithPods, objectCause } from '../../decisions/answer/index.ts'
import {
  AT,
  answerCases,
  fleetOf,
  moduleOf,
  NOW,
  ofObject,
  texts,
  unitOf,
  waitingForObject,
} from './fleetanswers.cases.ts'
import { type ClusterReads, FleetAnswers } from './fleetanswers.ts'
import type { FleetObjects } from './fleetcopy.ts'

const NOTHING: ClusterReads = { objects: () => ({ type: 'Absent' }), cause: () => undefined }

const about = (
  fleet: FleetObjects,
  [name, cluster]: readonly [string, string],
  reads: ClusterReads = NOTHING,
): Answer => answerOf({ kind: 'Unit', name, cluster }, new FleetAnswers(fleet, NOW, reads))

describe('the answer about a unit', () => {
  it.each(answerCases.map((c) => [c.name, c] as const))('%s', (_, { fleet, unit, state, causes }) => {
    const answer = about(fleet, unit)
    expect([answer.state, texts(answer.causes)]).toEqual([state, causes])
  })

  it('every root cause says what to do, but a reason of a newer controller', () => {
    for (const { fleet, unit } of answerCases)
      for (const root of about(fleet, unit).roots) expect(root.advice, root.reason).toBeTruthy()
    const shapes = [
      { on: [], facts: {} },
      { on: [{ kind: 'Planet', name: 'mars' }], facts: {} },
      { on: ofObject('a').on },
      {},
    ]
    for (const shape of shapes) {
      const unknown = { reason: 'FromTheFuture', message: 'm', ...shape } as never
      const fleet = fleetOf([moduleOf('certs')], [unitOf('certs', 'a', 'v2', 'Delivering', [unknown])])
      expect(about(fleet, ['certs', 'a']).roots).toMatchObject([
        { label: 'certs', reason: 'FromTheFuture', text: 'm', advice: undefined, children: [] },
      ])
    }
  })

  it('follows a halted rollout to the cluster that failed', () => {
    const on = [{ kind: 'Unit', name: 'certs', cluster: 'a' }] as const
    const halt = { revision: 'x', failed: 1, maxFailed: 0, names: ['a'] }
    const halted = {
      ...blocked('DependencyNotReady', on, { edge: 'e', state: 'Deploying' }),
      reason: 'Halted' as const,
      facts: halt,
    }
    const fleet = fleetOf(
      [moduleOf('certs', { blockers: [halted] })],
      [unitOf('certs', 'a', 'v2', 'Failed', [ofObject('a')]), unitOf('certs', 'b', 'v1', 'Ready')],
    )
    expect(texts(about(fleet, ['certs', 'b']).causes).slice(1)).toEqual([
      '  certs on a: Failed',
      '    Deployment certs/webhook: DependencyNotReady',
    ])
    expect(about(fleet, ['certs', 'a']).state).toBe('Failed')
  })
})

describe('a unit that has started', () => {
  const limit = blocked('RolloutLimit', [{ kind: 'Unit', name: 'certs', cluster: 'a' }], {
    limit: 'maxUnavailable',
    used: 1,
    max: 1,
    waiting: 1,
    unhealthy: [],
    unhealthyCount: 0,
  })
  const ledger = [{ cluster: 'a', revision: 'v1:certs-v2', stage: '' }]
  const started = (entry: object) =>
    moduleOf('certs', {
      blockers: [limit],
      status: { rollout: { phase: 'Progressing', ledger: [{ ...ledger[0], ...entry }] } },
    })

  it('does not wait for the limit that it uses, and others wait for it', () => {
    const fleet = fleetOf([started({})], [])
    expect(about(fleet, ['certs', 'a']).roots.map((r) => r.reason)).toEqual(['Pending'])
    const { causes, roots } = about(fleet, ['certs', 'b'])
    expect(causes.map((c) => c.reason)).toEqual(['RolloutLimit'])
    expect(roots.map((r) => [r.cluster, r.reason])).toEqual([['a', 'Pending']])
  })

  it('two units that wait for each other still have a root cause', () => {
    const both = { ...limit, on: ['a', 'b'].map((cluster) => ({ ...limit.on[0]!, cluster })) }
    const fleet = fleetOf([moduleOf('certs', { blockers: [both] })], [])
    for (const cluster of ['a', 'b']) {
      const reasons = about(fleet, ['certs', cluster]).roots.map((r) => r.reason)
      expect(reasons).toEqual(['RolloutLimit'])
    }
  })

  it('has failed if its rollout records that', () => {
    const failed = started({ failed: { at: AT, message: 'denied' } })
    expect(about(fleetOf([failed], [unitOf('certs', 'a', 'v2', 'Delivering')]), ['certs', 'a']).state).toBe(
      'Failed',
    )
  })
})

it('a Module whose status is late waits for its controller, which needs no action', () => {
  const fleet = fleetOf([moduleOf('certs')], [])
  const [root] = answerOf({ kind: 'Module', name: 'certs' }, new FleetAnswers(fleet, NOW, NOTHING)).roots
  expect([root?.reason, root?.advice]).toEqual(['Pending', expect.stringMatching(/^no action needed/)])
})

describe('an object that is missing on many clusters', () => {
  const names = Array.from({ length: 60 }, (_, i) => `c${i + 1}`)
  const absentOn = (clusters: readonly string[]): ClusterReads => ({
    objects: (_, cluster) =>
      clusters.includes(cluster)
        ? { type: 'Absent' }
        : {
            type: 'Present',
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'database' } },
          },
    cause: () => undefined,
  })
  const rootOf = (fleet: FleetObjects, cluster: string, missingOn: readonly string[]) =>
    about(fleet, ['app', cluster], absentOn(missingOn)).roots.map((r) => [r.cluster, r.text])

  it.each(['c1', 'c2', 'c57'])('the answer about the unit on %s names its cluster', (cluster) => {
    const fleet = fleetOf([waitingForObject(names)], [], { names })
    const text = `waiting for ConfigMap default/database on ${cluster}: not found`
    expect(rootOf(fleet, cluster, names)).toEqual([[cluster, text]])
  })

  it('present on one cluster, only the other waits for it', () => {
    const fleet = fleetOf([waitingForObject(['c2'])], [], { names: ['c1', 'c2'] })
    const [first] = rootOf(fleet, 'c1', ['c2'])
    expect(first?.[1]).not.toContain('database')
    expect(rootOf(fleet, 'c2', ['c2'])).toEqual([
      ['c2', 'waiting for ConfigMap default/database on c2: not found'],
    ])
  })
})

describe('a cause that is an object', () => {
  const read = (live: ObjectWithPods): ClusterReads => ({
    objects: () => ({ type: 'Absent' }),
    cause: (ref: WaitRef, blocker, at, health) => objectCause(ref, { ...live, health }, blocker, NOW, at),
  })
  const fleet = fleetOf([moduleOf('certs')], [unitOf('certs', 'a', 'v2', 'Delivering', [ofObject('a')])])

  it('leads to the Pod that does not start, with what to do about it', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "r/x:2": 403' }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'webhook-1', namespace: 'certs' },
      status: { phase: 'Pending', startTime: AT, containerStatuses: [{ name: 'x', state: { waiting } }] },
    } as KubeObject
    const { causes, roots } = about(fleet, ['certs', 'a'], read({ pods: [pod] }))
    expect(texts(causes)).toEqual([
      'Deployment certs/webhook: DependencyNotReady',
      '  Pod webhook-1: ImagePullBackOff',
    ])
    expect(roots[0]?.advice).toContain('make the image available')
  })

  it('whose Pod is being created says where to look', () => {
    const waiting = { reason: 'ContainerCreating' }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'webhook-1', namespace: 'certs' },
      status: { phase: 'Pending', containerStatuses: [{ name: 'x', state: { waiting } }] },
    } as KubeObject
    const [root] = about(fleet, ['certs', 'a'], read({ pods: [pod] })).roots
    expect(root?.advice).toBe('read its events on a: kubectl describe pod webhook-1 -n certs')
  })

  it('has the state that its cluster shows now, and names the health rule', () => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'webhook', namespace: 'certs' },
      spec: { replicas: 2 },
      status: { replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    } as KubeObject
    const [cause] = about(fleet, ['certs', 'a'], read({ pods: [], object })).causes
    expect([cause?.reason, cause?.text, cause?.rule]).toEqual([
      'DependencyNotReady',
      '1 of 2 replicas available',
      'apps/Deployment',
    ])
  })

  it('that cannot be read keeps the stored text, with the problem', () => {
    const [cause] = about(fleet, ['certs', 'a'], read({ pods: [], problem: 'connection refused' })).causes
    expect(cause?.text).toMatch(/\(connection refused\)$/)
  })
})
