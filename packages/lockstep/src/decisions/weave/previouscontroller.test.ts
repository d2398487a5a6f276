import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { isServed, previousController, weaveOwner } from './previouscontroller.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const lease = (renewTime: string | undefined, holderIdentity = 'pod-1', leaseDurationSeconds?: number) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'weave' },
  spec: {
    holderIdentity,
    ...(renewTime === undefined ? {} : { renewTime }),
    ...(leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds }),
  },
})

describe('the controller of before', () => {
  it.each([
    ['has renewed 14 s ago', lease('2026-11-23T11:59:46.000000Z'), true],
    ['has not for 15 s', lease('2026-11-23T11:59:45.000000Z'), false],
    ['has for as long as it says', lease('2026-11-23T11:59:01.000000Z', 'pod-1', 60), true],
    ['has let go', lease('2026-11-23T11:59:59.000000Z', ''), false],
    ['was never there', lease(undefined), false],
  ])('%s', (_, one, is) => {
    const found = previousController([one], NOW)
    expect(found).toBe(is ? 'Lease weave/l of pod-1' : undefined)
  })

  it('is at work where one of several Leases is held', () => {
    expect(previousController([], NOW)).toBeUndefined()
    const leases = [lease('2026-11-23T11:00:00Z', 'old'), lease('2026-11-23T11:59:59Z', 'new')]
    expect(previousController(leases, NOW)).toBe('Lease weave/l of new')
  })
})

const object = (metadata: object): KubeObject => ({
  apiVersion: 'pipelines.weave.works/v1alpha1',
  kind: 'Pipeline',
  metadata: { name: 'a', ...metadata },
})

describe('which are served', () => {
  it.each([
    [{ 'lockstep.dev/managed': 'true' }, true, true],
    [{ 'lockstep.dev/managed': 'false' }, false, false],
    [{ 'lockstep.dev/managed': 'yes' }, false, true],
    [{}, false, true],
  ])('%j: %s, of all: %s', (annotations, alone, all) => {
    expect([isServed(object({ annotations }), false), isServed(object({ annotations }), true)]).toEqual([
      alone,
      all,
    ])
  })

  it('none that is going', () => {
    expect(isServed(object({ deletionTimestamp: '2026-11-23T12:00:00Z' }), true)).toBe(false)
  })

  it('ours knows whose it is', () => {
    const owner = { apiVersion: 'pipelines.weave.works/v1alpha1', kind: 'Pipeline', name: 'a', uid: 'u1' }
    expect(weaveOwner(object({ ownerReferences: [owner] }))).toBe('u1')
    expect(
      weaveOwner(object({ ownerReferences: [{ ...owner, apiVersion: 'tekton.dev/v1' }] })),
    ).toBeUndefined()
    expect(weaveOwner(object({}))).toBeUndefined()
  })
})
