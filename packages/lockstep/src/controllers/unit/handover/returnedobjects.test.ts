/** Knowledge of a unit about objects that change hands, between the writes. */
import { identityOf } from '@lockstep/kube/object'
import { describe, expect, it } from 'vitest'
import { isIntentSeen } from '../prunenode.ts'
import { returnedObjects } from './returnedobjects.ts'

const ID = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'x' }

/** A unit with Inventory `own`, and what its cluster shows of the object. */
const scopeOf = (live: object | undefined) => {
  const store = { get: () => live, freshness: { state: 'Live' } }
  const resource = { version: 'v1' }
  return {
    session: { served: () => resource, objects: () => store },
    inventory: { metadata: { uid: 'own' }, spec: { objects: [{ ...ID, version: 'v1', uid: '1' }] } },
    memory: { gone: new Map([[identityOf(ID), '1']]) },
  }
}

describe('an object that the unit gave away', () => {
  const returned = (live: object | undefined): number => returnedObjects(scopeOf(live) as never).length

  it('is back once it has the marks of the unit again', () => {
    expect(returned({ uid: '1', inventory: 'own', deleting: false })).toBe(1)
  })

  it('stays gone with the marks of another unit, as another object, while it is deleted, and where it is not', () => {
    expect(returned({ uid: '1', inventory: 'other', deleting: false })).toBe(0)
    expect(returned({ uid: '2', inventory: 'own', deleting: false })).toBe(0)
    expect(returned({ uid: '1', inventory: 'own', deleting: true })).toBe(0)
    expect(returned(undefined)).toBe(0)
  })
})

describe('an intent for an object that another unit hands over', () => {
  const isSeen = (
    live: object | undefined,
    takes: object | undefined = { uid: '1', from: 'm.p.giver' },
  ): boolean =>
    isIntentSeen(scopeOf(live) as never, { ...ID, nonce: 'n', ...(takes ? { takes } : {}) } as never)

  it('is not over while the giver has the object: the marks may come at any moment', () => {
    expect(isSeen({ uid: '1', inventory: 'giver' })).toBe(false)
  })

  it('is over with the own marks, without the object, and with another one', () => {
    expect(isSeen({ uid: '1', inventory: 'own' })).toBe(true)
    expect(isSeen(undefined)).toBe(true)
    expect(isSeen({ uid: '2', inventory: 'giver' })).toBe(true)
  })

  it('says nothing about creates', () => {
    expect(isIntentSeen(scopeOf({ uid: '1', inventory: 'giver' }) as never, { ...ID, nonce: 'n' })).toBe(true)
  })
})
