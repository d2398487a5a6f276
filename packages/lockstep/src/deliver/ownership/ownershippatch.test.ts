/** The patches by which objects become ours. */
import { describe, expect, it } from 'vitest'
import {
  at,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
} from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { applySettings } from '../../api/kinds/module/spec.ts'
import { INVENTORY_ANNOTATION, NONCE_ANNOTATION, UNIT_LABEL } from '../../api/labels.ts'
import { fieldsOf } from './fieldowners.ts'
import {
  claimPatch,
  ownershipPatch,
  ownershipTransfer,
  ownersOnlyPatch,
  takePatch,
} from './ownershippatch.ts'

const entry = (manager: string, fieldsV1: JsonObject, more: Partial<ManagedFieldsEntry> = {}) =>
  ({ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more }) as const

const ours = (fieldsV1: JsonObject) => entry('lockstep', fieldsV1, { operation: 'Apply' })

const MANIFEST: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'app' },
}

const object = (metadata: ObjectMeta, more: object = {}): Stored => ({
  ...MANIFEST,
  metadata: {
    name: 'web',
    namespace: 'app',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '',
    ...metadata,
  },
  ...more,
})

describe('the patch that makes fields ours', () => {
  const from = applySettings.parse({}).adoptFrom
  const a = { 'f:data': { 'f:a': {} } }
  const b = { 'f:data': { 'f:b': {} } }
  it('is not there where nothing moves', () => {
    expect(ownershipTransfer(object({}), from, MANIFEST)).toBeUndefined()
    expect(
      ownershipTransfer(object({ managedFields: [entry('somebody', a)] }), from, MANIFEST),
    ).toBeUndefined()
  })
  it('makes one entry of all, and leaves what others and subresources have', () => {
    const others = [entry('somebody', a), entry('kubectl', b, { subresource: 'scale' })]
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: '1' }
    const managedFields = [
      entry('kubectl-client-side-apply', a),
      ...others,
      entry('lockstep', b, { operation: 'Apply', time: 't' }),
      entry('helm', { 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
    ]
    const all = { 'f:data': { 'f:a': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { 'f:x': {} } } }
    const ours = entry('lockstep', all, { operation: 'Apply', time: 't' })
    expect(ownershipTransfer(object({ annotations, managedFields }), from, MANIFEST)).toEqual({
      metadata: {
        managedFields: [...others, ours],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': null },
      },
    })
  })
  it('leaves a status to whoever wrote it: an apply, which never says one, would take it off', () => {
    const said = { 'f:status': { 'f:phase': {} } }
    const both = { ...a, ...said }
    const found = ownershipTransfer(
      object({ managedFields: [entry('argocd-controller', both)] }),
      from,
      MANIFEST,
    )
    const moved = entry('lockstep', a, { operation: 'Apply' })
    expect(found).toEqual({ metadata: { managedFields: [entry('argocd-controller', said), moved] } })
    const only = object({ managedFields: [entry('argocd-controller', said)] })
    expect(ownershipTransfer(only, from, MANIFEST)).toBeUndefined()
  })
  it('or gives some up', () => {
    const ours = entry('lockstep', a, { operation: 'Apply' })
    const other = entry('somebody', a)
    expect(ownershipPatch(object({ managedFields: [other, ours] }), fieldsOf(entry('', b)))).toEqual({
      metadata: { managedFields: [other, { ...ours, fieldsV1: b }] },
    })
  })
})

const MARKS = { unit: 'm.app.web', inventoryUid: 'ours' }
const data = (...names: readonly string[]): JsonObject => Object.fromEntries(names.map((n) => [n, n]))
const owned = (...names: readonly string[]): JsonObject => ({
  'f:data': { '.': {}, ...Object.fromEntries(names.map((n) => [`f:${n}`, {}])) },
})
const of = (patch: unknown): readonly ManagedFieldsEntry[] =>
  at(patch as JsonObject, 'metadata', 'managedFields') as unknown as ManagedFieldsEntry[]

describe('of a name that many share', () => {
  const manifest = { ...MANIFEST, data: data('a', 'b') }
  it('moves what the manifest has; the rest stays with it', () => {
    const o = object({ managedFields: [entry('manager', owned('a', 'b', 'c'))] })
    const patch = ownershipTransfer(o, ['manager'], manifest)
    expect(of(patch)).toEqual([entry('manager', { 'f:data': { 'f:c': {} } }), ours(owned('a', 'b'))])
  })
  it('an entry of which nothing is left goes, and what we have stays ours', () => {
    const o = object({ managedFields: [ours(owned('z')), entry('manager', owned('b'))] })
    expect(of(ownershipTransfer(o, ['manager'], manifest))).toEqual([ours(owned('b', 'z'))])
  })
  it.each([
    ['of a subresource', { subresource: 'status' }],
    ['of an apply: that operator takes off itself what it gives up', { operation: 'Apply' }],
    ['of another version', { apiVersion: 'v2' }],
  ] as const)('nothing moves %s', (_, more) => {
    const o = object({ managedFields: [entry('manager', owned('a'), more)] })
    expect(ownershipTransfer(o, ['manager'], manifest)).toBeUndefined()
  })
  it('nothing moves where the manifest asks for nothing, or nobody has listed it', () => {
    const o = object({ managedFields: [entry('manager', owned('a'))] })
    const none = { ...MANIFEST, data: { a: null } } as unknown as KubeObject
    expect(of(ownershipTransfer(o, ['manager'], none))).toEqual([
      entry('manager', { 'f:data': { 'f:a': {} } }),
      ours({ 'f:data': {} }),
    ])
    expect(ownershipTransfer(o, applySettings.parse({}).adoptFrom, manifest)).toBeUndefined()
  })
  it('by hand, with our marks', () => {
    const o = object({ managedFields: [entry('manager', owned('a', 'c'))] })
    expect(claimPatch(o, ['manager'], manifest, MARKS)).toEqual({
      metadata: {
        managedFields: [entry('manager', { 'f:data': { 'f:c': {} } }), ours(owned('a'))],
        labels: { [UNIT_LABEL]: 'm.app.web' },
        annotations: { [INVENTORY_ANNOTATION]: 'ours' },
      },
    })
  })
})

describe('an object of another unit', () => {
  const theirs = { labels: { [UNIT_LABEL]: 'm.app.old' }, annotations: { [INVENTORY_ANNOTATION]: 'theirs' } }
  it('gets other marks, and loses what announced it; what kubectl has set stays its', () => {
    const annotations = { ...theirs.annotations, [NONCE_ANNOTATION]: 'n' }
    const managedFields = [ours(owned('a')), entry('kubectl', owned('b')), entry('lockstep', owned('c'))]
    const patch = takePatch(object({ ...theirs, annotations, managedFields }), ['kubectl'], MANIFEST, MARKS)
    expect(patch).toEqual({
      metadata: {
        managedFields: [entry('kubectl', owned('b')), ours(owned('a', 'c'))],
        labels: { [UNIT_LABEL]: 'm.app.web' },
        annotations: { [INVENTORY_ANNOTATION]: 'ours', [NONCE_ANNOTATION]: null },
      },
    })
  })
  it('nothing moves where the object is only added to; the nonce is that of its intent', () => {
    const o = object({ ...theirs, managedFields: [entry('lockstep', owned('c'))] })
    expect(takePatch(o, undefined, MANIFEST, { ...MARKS, nonce: 'n' })).toEqual({
      metadata: {
        labels: { [UNIT_LABEL]: 'm.app.web' },
        annotations: { [INVENTORY_ANNOTATION]: 'ours', [NONCE_ANNOTATION]: 'n' },
      },
    })
  })
})

describe('where nothing is left to apply', () => {
  const manifest = { ...MANIFEST, data: data('a', 'b') }
  const settled = (o: Stored, of: KubeObject = manifest) =>
    ownersOnlyPatch(o, ['manager', 'kubectl'], of, MARKS)
  it('one patch makes all that the manifest says ours, and puts our marks on', () => {
    const managedFields = [entry('manager', owned('a', 'c')), entry('somebody', owned('b'))]
    expect(settled(object({ managedFields }, { data: data('a', 'b', 'c') }))).toEqual({
      metadata: {
        managedFields: [
          entry('manager', { 'f:data': { 'f:c': {} } }),
          entry('somebody', owned('b')),
          ours(owned('a', 'b')),
        ],
        labels: { [UNIT_LABEL]: 'm.app.web' },
        annotations: { [INVENTORY_ANNOTATION]: 'ours' },
      },
    })
  })
  it('also of another unit, where nobody else has anything', () => {
    const annotations = { [INVENTORY_ANNOTATION]: 'theirs' }
    const fields = {
      ...owned('a', 'b'),
      'f:metadata': { 'f:annotations': { [`f:${INVENTORY_ANNOTATION}`]: {} } },
    }
    const o = object({ annotations, managedFields: [ours(fields)] }, { data: data('a', 'b') })
    expect(of(settled(o))).toEqual([ours(owned('a', 'b'))])
  })
  const one = (fieldsV1: JsonObject, value: object) =>
    object({ managedFields: [entry('kubectl', fieldsV1)] }, { data: value })
  it.each([
    ['a value differs', one(owned('a', 'b'), { a: 'a', b: 'x' }), manifest],
    ['a field is not there', one(owned('a'), data('a')), manifest],
    ['nobody owns a field', one(owned('a'), data('a', 'b')), manifest],
    ['the manifest lacks what would become ours', one(owned('a', 'b', 'c'), data('a', 'b', 'c')), manifest],
    ['it is owned as a whole, and there is more in it', one({ 'f:data': {} }, data('a', 'b', 'c')), manifest],
    [
      'somebody has written it in another version',
      object(
        { managedFields: [entry('kubectl', owned('a', 'b')), entry('x', {}, { apiVersion: 'v2' })] },
        { data: data('a', 'b') },
      ),
      manifest,
    ],
    [
      'nothing would move',
      object({ managedFields: [entry('x', owned('a', 'b'))] }, { data: data('a', 'b') }),
      manifest,
    ],
  ] as const)('it is applied where %s', (_, o, asked) => {
    expect(settled(o, asked)).toBeUndefined()
  })
})
