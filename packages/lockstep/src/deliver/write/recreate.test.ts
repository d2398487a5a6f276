import { describe, expect, it } from 'vitest'
import type { JsonObject, ObjectReference } from '../../../../kube/src/object/index.ts'
import type { InventoryObject, WriteIntent } from '../../api/kinds/inventory/spec.ts'
import { DEFAULT_ORDER_OPTIONS } from '../../decisions/order/orderoptions.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import { isRecreating, recreateDecisionOf } from './recreate.ts'

const api: ObjectReference = { group: 'apps', kind: 'Deployment', namespace: 'app', name: 'api' }
const OURS = 'inventory-1'

const desired = (ref: ObjectReference): DesiredObject => ({
  id: ref.name,
  ref,
  object: { apiVersion: 'v1', kind: ref.kind, metadata: { name: ref.name } },
  options: DEFAULT_ORDER_OPTIONS,
  content: 'new',
  ignored: undefined,
  resource: undefined,
  problem: undefined,
})

const liveOf = (ref: ObjectReference, more: Partial<LiveObject> = {}, spec?: JsonObject): LiveObject => ({
  ref,
  version: 'v1',
  uid: 'uid-1',
  resourceVersion: '7',
  unit: 'm.platform.web',
  inventory: OURS,
  nonce: undefined,
  fields: 'f',
  managers: '[]',
  deleting: false,
  finalizers: [],
  object: { apiVersion: 'v1', kind: ref.kind, metadata: { name: ref.name }, ...(spec ? { spec } : {}) },
  ...more,
})

const entry = (more: Partial<InventoryObject> = {}): InventoryObject => ({
  group: 'apps',
  kind: 'Deployment',
  name: 'api',
  version: 'v1',
  uid: 'uid-1',
  content: 'old',
  fields: 'f',
  level: 0,
  ...more,
})

const intent = (uid: string, content: string): WriteIntent => ({
  ...api,
  nonce: 'n',
  replaces: { uid, content },
})

interface Row {
  readonly what: string
  readonly ref?: ObjectReference
  readonly live?: Partial<LiveObject>
  readonly spec?: JsonObject
  readonly entry?: InventoryObject
  readonly intent?: WriteIntent
  readonly allowed?: false
  readonly keeper?: string
  readonly says: RegExp | 'replace'
}

const cluster = (group: string, kind: string): ObjectReference => ({ group, kind, name: 'x' })

const rows: readonly Row[] = [
  { what: 'ours, and allowed', says: 'replace' },
  {
    what: 'not allowed',
    allowed: false,
    says: /^ImmutableField: .*immutable; set spec\.apply\.replaceImmutable/,
  },
  {
    what: 'data, and not allowed: the setting is not offered',
    allowed: false,
    ref: cluster('', 'PersistentVolumeClaim'),
    says: /^ImmutableField: .*immutable; rename it$/,
  },
  { what: 'a claim', ref: cluster('', 'PersistentVolumeClaim'), says: /^ReplaceRefused: .*holds data/ },
  { what: 'a volume', ref: cluster('', 'PersistentVolume'), says: /^ReplaceRefused: .*holds data/ },
  { what: 'a Namespace', ref: cluster('', 'Namespace'), says: /^ReplaceRefused: .*its objects/ },
  { what: 'a Node', ref: cluster('', 'Node'), says: /^ReplaceRefused: .*its Pods/ },
  {
    what: 'a definition',
    ref: cluster('apiextensions.k8s.io', 'CustomResourceDefinition'),
    says: /^ReplaceRefused: .*all objects of its kind/,
  },
  {
    what: 'an APIService',
    ref: cluster('apiregistration.k8s.io', 'APIService'),
    says: /^ReplaceRefused: .*not be served/,
  },
  {
    what: 'a StatefulSet that takes its claims along',
    ref: cluster('apps', 'StatefulSet'),
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } },
    says: /^ReplaceRefused: .*claims/,
  },
  {
    what: 'a StatefulSet of which nobody knows',
    ref: cluster('apps', 'StatefulSet'),
    says: /^ReplaceRefused: .*claims/,
  },
  {
    what: 'a StatefulSet whose claims stay',
    ref: cluster('apps', 'StatefulSet'),
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } },
    says: 'replace',
  },
  {
    what: 'nobody marked it',
    live: { inventory: undefined },
    says: /^ReplaceRefused: .*not managed by Lockstep/,
  },
  {
    what: 'another unit has it as well',
    keeper: 'Module platform/shop',
    says: /^ReplaceRefused: .*Module platform\/shop has it as well/,
  },
  { what: 'it is announced', intent: intent('uid-1', 'new'), says: 'replace' },
  { what: 'it was, for other content', entry: entry({ replaced: true }), says: 'replace' },
  { what: 'it was announced, for other content', intent: intent('uid-0', 'old'), says: 'replace' },
  {
    what: 'it was, for this content',
    entry: entry({ replaced: true, content: 'new' }),
    says: /^ImmutableField: .*once/,
  },
  {
    what: 'it was, for this content, and nobody wrote it down',
    intent: intent('uid-0', 'new'),
    says: /^ImmutableField: .*once/,
  },
]

describe('an object whose field cannot change is made anew', () => {
  it.each(rows)('$what', (row) => {
    const ref = row.ref ?? api
    const next = recreateDecisionOf(desired(ref), {
      live: liveOf(ref, row.live, row.spec),
      entry: row.entry ?? entry(),
      intent: row.intent,
      inventoryUid: OURS,
      allowed: row.allowed ?? true,
      keeper: row.keeper,
      on: objectWaitRef(ref, 'c1'),
      error: 'spec.x: field is immutable',
    })
    if (row.says === 'replace')
      expect(next).toEqual({ type: 'replace', replaces: { uid: 'uid-1', content: 'new' } })
    else
      expect(next.type === 'refused' && `${next.blocker.reason}: ${next.blocker.message}`).toMatch(row.says)
  })
})

describe('a replacement stays announced', () => {
  const of = intent('uid-1', 'new')
  it.each([
    ['while the old one is written down', 'new', entry(), true],
    ['while nothing is written down', 'new', undefined, true],
    ['until the new one is written down', 'new', entry({ uid: 'uid-2', content: 'new' }), false],
    ['until the old one took the content after all', 'new', entry({ content: 'new' }), false],
    ['until something else is wanted', 'newer', entry(), false],
    ['until nothing is wanted', undefined, entry(), false],
  ] as const)('%s', (_, content, written, stays) => {
    expect(isRecreating(of, content, written)).toBe(stays)
  })
})
