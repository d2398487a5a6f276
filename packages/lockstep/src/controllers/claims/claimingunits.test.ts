import { expect, it } from 'vitest'
import type { Digest, Stored } from '../../../../kube/src/object/index.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { HubCaches } from '../cache/index.ts'
import { unitRevisions } from './claimingunits.ts'

const revision = (digit: number): Digest => `v1:${String(digit).repeat(64)}` as Digest
const [ADMITTED, ASSIGNED, TARGET, NEXT] = [1, 2, 3, 4].map(revision)
const ref = { kind: 'Module', namespace: 'team', name: 'shop' } as const
const module = {
  metadata: { uid: 'of-module', namespace: 'team', name: 'shop' },
  spec: { rollout: { strategy: 'Rolling' } },
  status: { currentRevision: NEXT, rollout: { revision: TARGET } },
} as unknown as Stored<Module>

const hub = (assigned: Digest | undefined): HubCaches =>
  ({
    assignment: () => assigned && { uid: 'of-module', revision: assigned },
    unit: () => ({ spec: { admitted: { revision: ADMITTED } } }),
    holds: { store: { by: () => [] } },
  }) as unknown as HubCaches

it('a unit keeps the objects of the revision that it is assigned, and of the one that it is deployed at', () => {
  const found = unitRevisions(hub(ASSIGNED), 0, ref, module, 'c1')
  expect(found.aim).toBe(TARGET)
  expect(found.admitted).toBe(ADMITTED)
  expect([...found.all].sort()).toEqual([ADMITTED, ASSIGNED, TARGET, NEXT])
})

it('a revision in several roles is read once', () => {
  expect(unitRevisions(hub(TARGET), 0, ref, module, 'c1').all).toEqual([TARGET, NEXT, ADMITTED])
})
