import { describe, expect, it } from 'vitest'
import type { Intent } from '../api/kinds/inventory.ts'
import type { Inventory } from '../api/registry.ts'
import type { LiveObject } from '../fleet/live.ts'
import { identityOf } from '../object/object.ts'
import { announcedObjects } from './intents.ts'

const intent: Intent = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a', nonce: 'n' }
const inventory = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Inventory',
  metadata: { name: 'm.a.c1', uid: 'ours' },
  spec: { intents: [intent] },
} as unknown as Inventory & { metadata: { uid: string } }

const live = (uid: string, owner: string): LiveObject => ({
  ref: intent,
  version: 'v1',
  uid,
  resourceVersion: '1',
  unit: 'm.platform.a',
  inventory: owner,
  nonce: undefined,
  fields: undefined,
  managers: '[]',
  deleting: false,
  finalizers: [],
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
})

describe('what exists for an intent and was never written down', () => {
  const found = (o: LiveObject | undefined, known: readonly (readonly [string, string])[] = []): string[] =>
    announcedObjects(inventory, new Map(known), () => o).map((x) => x.uid)

  it('is ours by our mark, whether or not it has its nonce yet', () => {
    expect(found(live('1', 'ours'))).toEqual(['1'])
  })

  it('is not ours with the mark of another Inventory', () => {
    expect(found(live('1', 'another'))).toEqual([])
  })

  it('is nothing new where it is written down', () => {
    expect(found(live('1', 'ours'), [[identityOf(intent), '1']])).toEqual([])
  })

  it('has been made anew where another uid is written down: somebody had deleted it', () => {
    expect(found(live('2', 'ours'), [[identityOf(intent), '1']])).toEqual(['2'])
  })

  it('is not there yet, perhaps', () => {
    expect(found(undefined)).toEqual([])
  })
})
