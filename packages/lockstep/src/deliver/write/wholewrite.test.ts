import { describe, expect, it } from 'vitest'
import type { KubeObject, ManagedFieldsEntry, OwnerReference } from '../../../../kube/src/object/index.ts'
import { DEFAULT_ORDER_OPTIONS } from '../../decisions/order/orderoptions.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { isWholeWrite, wholeOwners, wholeWriteBody, wholeWriteFields } from './wholewrite.ts'

const manifest: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', namespace: 'app', finalizers: ['ours/f'] },
}

const desired = (more: Partial<DesiredObject> = {}): DesiredObject => ({
  id: 'x',
  ref: { group: '', kind: 'ConfigMap', namespace: 'app', name: 'x' },
  object: manifest,
  options: { ...DEFAULT_ORDER_OPTIONS, mode: 'Replace' },
  content: 'c',
  ignored: undefined,
  resource: undefined,
  problem: undefined,
  ...more,
})

const entry = (manager: string, operation: 'Apply' | 'Update', ...keys: string[]): ManagedFieldsEntry => ({
  manager,
  operation,
  fieldsV1: { 'f:data': Object.fromEntries(keys.map((k) => [`f:${k}`, {}])) },
})

const live = (
  managers: readonly ManagedFieldsEntry[],
  metadata: KubeObject['metadata'] = {},
): LiveObject => ({
  ref: { group: '', kind: 'ConfigMap', namespace: 'app', name: 'x' },
  version: 'v1',
  uid: 'u',
  resourceVersion: '7',
  nonce: undefined,
  unit: 'm',
  inventory: 'i',
  fields: undefined,
  managers: JSON.stringify(managers),
  deleting: false,
  finalizers: metadata.finalizers ?? [],
  object: { ...manifest, metadata },
})

const owner = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid })

describe('an object that is put as a whole', () => {
  it.each<[string, Partial<DesiredObject>, boolean]>([
    ['mode Replace', {}, true],
    ['mode Override', { options: DEFAULT_ORDER_OPTIONS }, false],
    ['fields are left to others', { ignored: { paths: [['data', 'a']], managers: [] } }, false],
    ['a Namespace', { ref: { group: '', kind: 'Namespace', name: 'x' } }, false],
    [
      'a definition',
      { ref: { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name: 'x' } },
      false,
    ],
  ])('%s', (_, more, is) => {
    expect(isWholeWrite(desired(more))).toBe(is)
  })

  it('has the fence of what was seen, and keeps finalizers and owners of others', () => {
    const there = live([], { finalizers: ['theirs/f', 'ours/f'], ownerReferences: [owner('a')] })
    const { metadata } = wholeWriteBody(manifest, there)
    expect(metadata).toEqual({
      name: 'x',
      namespace: 'app',
      uid: 'u',
      resourceVersion: '7',
      finalizers: ['ours/f', 'theirs/f'],
      ownerReferences: [owner('a')],
    })
  })

  it('an owner that the manifest names is there once, as the manifest has it', () => {
    const named = {
      ...manifest,
      metadata: { ...manifest.metadata, ownerReferences: [{ ...owner('a'), controller: true }] },
    }
    const there = live([], { ownerReferences: [owner('a'), owner('b')] })
    expect(wholeWriteBody(named, there).metadata.ownerReferences).toEqual([
      { ...owner('a'), controller: true },
      owner('b'),
    ])
  })
})

describe('which fields are ours after a PUT', () => {
  const d = desired()
  const applied = entry('lockstep', 'Apply', 'a', 'b')

  it('what we have applied and what we have put, whichever of the two has it', () => {
    const all = wholeWriteFields(d, live([applied]))
    expect(
      wholeWriteFields(d, live([entry('lockstep', 'Apply', 'a'), entry('lockstep', 'Update', 'b')])),
    ).toBe(all)
    expect(
      wholeWriteFields(d, live([entry('lockstep', 'Update', 'a', 'b'), entry('kubectl', 'Update', 'c')])),
    ).toBe(all)
  })

  it('not what another has taken since', () => {
    const taken = live([entry('lockstep', 'Apply', 'a'), entry('kubectl', 'Update', 'b')])
    expect(wholeWriteFields(d, taken)).not.toBe(wholeWriteFields(d, live([applied])))
    expect(wholeOwners(taken).others.map((o) => o.manager)).toEqual(['kubectl'])
  })

  it('none, where our marks are all that is left', () => {
    expect(wholeWriteFields(d, live([entry('kubectl', 'Update', 'a')]))).toBeUndefined()
  })
})
