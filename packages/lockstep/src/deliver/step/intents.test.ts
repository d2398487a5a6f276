import { describe, expect, it } from 'vitest'
import { identityOf } from '../../../../kube/src/object/index.ts'
import type { Inventory } from '../../api/kinds/index.ts'
import type { WriteIntent } from '../../api/kinds/inventory/spec.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { emptyMemory } from '../state/unitmemory.ts'
import { announcedObjects, REQUEST_EXPIRY_MS, servedIntents } from './intents.ts'

const intent: WriteIntent = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a', nonce: 'n' }
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

  it('is inherited if its unit only uses it, as long as it is that object', () => {
    const takes = { uid: '1', from: 'm.platform.b', inherited: true }
    const moduleRef = { kind: 'Module' as const, name: 'a', uid: 'm' }
    const spec = { ...inventory.spec, moduleRef, intents: [{ ...intent, takes }] }
    const of = (uid: string) =>
      announcedObjects({ ...inventory, spec }, new Map(), () => live(uid, 'ours')).map((o) => o.inherited)
    expect([of('1'), of('2')]).toEqual([[true], [undefined]])
  })

  it('is not there yet, perhaps', () => {
    expect(found(undefined)).toEqual([])
  })
})

describe('an intent has served', () => {
  const entry = { ...intent, version: 'v1', uid: '1', content: 'c', fields: 'f', level: 0 }
  const served = (o: {
    writtenDown: boolean
    own: boolean
    afterMs: number
    isUnseen?: boolean
  }): boolean => {
    const memory = emptyMemory(1000)
    if (o.own) memory.announced.add(intent.nonce)
    const entries = new Map(o.writtenDown ? [[identityOf(intent), entry]] : [])
    return servedIntents([intent], entries, memory, 1000 + o.afterMs, () => !o.isUnseen).length === 1
  }

  it.each([
    ['not before its object is written down', { writtenDown: false, own: true, afterMs: 1 }, false],
    ['once its object is written down', { writtenDown: true, own: true, afterMs: 1 }, true],
    [
      'of another process, not even then: a second create may be under way, and make again what was deleted',
      { writtenDown: true, own: false, afterMs: REQUEST_EXPIRY_MS - 1 },
      false,
    ],
    [
      'once no request of another process can arrive',
      { writtenDown: true, own: false, afterMs: REQUEST_EXPIRY_MS },
      true,
    ],
    ['once no request can arrive', { writtenDown: false, own: true, afterMs: REQUEST_EXPIRY_MS }, true],
    [
      'not by time alone, where the objects of its kind are not known: one may be there',
      { writtenDown: false, own: true, afterMs: REQUEST_EXPIRY_MS, isUnseen: true },
      false,
    ],
  ])('%s', (_, o, expected) => {
    expect(served(o)).toBe(expected)
  })
})
