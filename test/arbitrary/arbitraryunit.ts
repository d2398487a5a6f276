/** One unit on its cluster in any state: half applied, edited by others, remembered wrongly. */

import fc from 'fast-check'
import type { HealthProfile } from '../../packages/health/src/state/healthstate.ts'
import type { ServedResource } from '../../packages/kube/src/client/client.ts'
import type { KubeObject, ObjectReference } from '../../packages/kube/src/object/index.ts'
import { blocked } from '../../packages/lockstep/src/api/blocker.ts'
import type { InventoryObject, WriteIntent } from '../../packages/lockstep/src/api/kinds/inventory/spec.ts'
import { applySettings } from '../../packages/lockstep/src/api/kinds/module/spec.ts'
import { noOtherUnits } from '../../packages/lockstep/src/deliver/ownership/foreignunit.ts'
import {
  type DesiredObject,
  desiredStateOf,
  type FindResource,
  type UnitDesiredState,
} from '../../packages/lockstep/src/deliver/plan/desiredstate.ts'
import type { LookupResult } from '../../packages/lockstep/src/deliver/state/lookup.ts'
import { objectWaitRef } from '../../packages/lockstep/src/deliver/state/objectwaitref.ts'
import type { UnitInput } from '../../packages/lockstep/src/deliver/state/unitinput.ts'
import type { NodeFailure, UnitMemory } from '../../packages/lockstep/src/deliver/state/unitmemory.ts'
import type { LiveObject } from '../../packages/lockstep/src/fleet/connection/liveobject.ts'
import { bundles, liveObjects } from './manifests.ts'

export const UID = 'inventory-1'
const UNIT = 'm.platform.web'
const STEADY = 1_000_000
const CLUSTER_SCOPED = new Set(['Namespace', 'CustomResourceDefinition', 'Gateway'])
const NOT_SERVED = new Set(['List', 'toString'])

const find: FindResource = (group, kind, version = 'v1'): ServedResource | undefined =>
  NOT_SERVED.has(kind)
    ? undefined
    : {
        group,
        version,
        kind,
        plural: `${kind.toLowerCase()}s`,
        namespaced: !CLUSTER_SCOPED.has(kind),
        hasStatus: kind.length % 2 === 0,
        verbs: [],
        preferred: true,
      }

/** Cheap, and different for different contents: what a digest is for. */
const digest = (domain: string, value: unknown): string =>
  `${domain} ${JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v))}`

/** Somebody else has a field of every workload. */
const MANAGERS = JSON.stringify([
  { manager: 'hpa', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
  { manager: 'lockstep', operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } } },
])

/** What may be the matter with one object; each choice is made apart from the others. */
export const matter = fc.record({
  live: fc.constantFrom(
    'gone',
    'unknown',
    'ours',
    'ours',
    'ours',
    'ours',
    'alien',
    'nobody',
    'deleting',
    'another',
  ),
  entry: fc.constantFrom('none', 'same', 'same', 'same', 'old', 'applied', 'gone'),
  intent: fc.boolean(),
  failure: fc.constantFrom(undefined, undefined, 'here', 'late', 'of old content', 'immutable', 'immutable'),
  /** Of the intent, if there is one. */
  replaces: fc.constantFrom(undefined, undefined, 'this', 'before', 'of old content'),
  deleted: fc.constantFrom(false, false, true),
  since: fc.constantFrom(undefined, STEADY, STEADY - 15_000, STEADY - 700_000),
  wroteAt: fc.constantFrom(undefined, STEADY, STEADY - 5000),
  degraded: fc.constantFrom(undefined, STEADY - 1, STEADY - 40_000),
  repaired: fc.constantFrom(undefined, undefined, STEADY - 1000, STEADY - 20_000),
})
type Matter = typeof matter extends fc.Arbitrary<infer T> ? T : never

export function entryOf(ref: ObjectReference, content: string, uid = 'uid-1'): InventoryObject {
  const { group, kind, namespace, name } = ref
  return {
    group,
    kind,
    name,
    version: 'v1',
    uid,
    content,
    fields: 'f',
    level: 0,
    ...(namespace === undefined ? {} : { namespace }),
  }
}

export function liveOf(
  ref: ObjectReference,
  object: KubeObject,
  m: Matter,
): LiveObject | 'unknown' | undefined {
  if (m.live === 'gone') return undefined
  if (m.live === 'unknown') return 'unknown'
  const isOurs = m.live === 'ours' || m.live === 'deleting' || m.live === 'another'
  return {
    ref,
    version: 'v1',
    uid: m.live === 'another' ? 'uid-2' : 'uid-1',
    resourceVersion: '7',
    unit: isOurs ? UNIT : m.live === 'alien' ? 'm.platform.other' : undefined,
    nonce: undefined,
    inventory: isOurs ? UID : m.live === 'alien' ? 'inventory-2' : undefined,
    fields: m.entry === 'old' ? undefined : 'f',
    managers: m.entry === 'old' ? '[]' : MANAGERS,
    deleting: m.live === 'deleting',
    finalizers: m.live === 'deleting' ? ['example.com/f'] : [],
    object,
  }
}

function failureOf(m: Matter, ref: ObjectReference, content: string): NodeFailure | undefined {
  if (m.failure === undefined) return undefined
  const on = [objectWaitRef(ref, 'c1')] as const
  const refusal =
    m.failure === 'immutable'
      ? blocked('ImmutableField', on, { error: 'refused' })
      : blocked('ApplyFailed', on, { action: 'Apply', because: 'Refused', error: 'refused' })
  return {
    ...refusal,
    content: m.failure === 'of old content' ? 'before' : content,
    retryAt: m.failure === 'late' ? STEADY - 1 : STEADY + 1000,
    transient: m.failure === 'late',
    tries: 1,
  }
}

const present = <K, V>(pairs: readonly (readonly [K, V | undefined])[]): Map<K, V> =>
  new Map(pairs.flatMap(([k, v]) => (v === undefined ? [] : [[k, v] as const])))

function memoryOf(rows: readonly (readonly [DesiredObject, Matter])[]): UnitMemory {
  const of = <V>(pick: (d: DesiredObject, m: Matter) => V | undefined) =>
    present(rows.map(([d, m]) => [d.id, pick(d, m)] as const))
  return {
    applied: of((d, m) => (m.entry === 'applied' ? entryOf(d.ref, d.content) : undefined)),
    failures: of((d, m) => failureOf(m, d.ref, d.content)),
    repairs: of((_, m) => (m.repaired === undefined ? undefined : { lastAt: m.repaired, takes: [] })),
    creates: new Map(),
    repaired: undefined,
    reviewed: undefined,
    foreign: new Map(),
    consentUnread: undefined,
    since: of((_, m) => m.since),
    wroteAt: of((_, m) => m.wroteAt),
    degradedSince: of((_, m) => m.degraded),
    healthySince: of((_, m) => m.wroteAt),
    replaced: of((_, m) => (m.deleted ? 'uid-1' : undefined)),
    gone: of((_, m) => (m.entry === 'gone' ? 'uid-1' : undefined)),
    deleted: new Map(),
    hookRuns: new Map(),
    announced: new Set(['ours']),
    attempted: of((_, m) => m.wroteAt),
    bornAt: STEADY - 20_000,
    dryRuns: new Map(),
    first: undefined,
    lastWriteAt: STEADY - 5000,
    bound: undefined,
    episode: {},
    lastStatusAt: 0,
    checks: undefined,
    waits: undefined,
    stamp: undefined,
    hidden: [],
    revisionMissingSince: undefined,
    isRemoved: false,
    stillSince: undefined,
  }
}

const alienEntry = entryOf({ group: '', kind: 'ConfigMap', namespace: 'a', name: 'dropped' }, 'before')

interface Draw {
  readonly desired: UnitDesiredState
  readonly live: readonly KubeObject[]
  readonly matters: readonly Matter[]
  readonly leftover: boolean
  readonly cause: boolean
  readonly prune: boolean
  readonly drift: string
  readonly replaceImmutable: boolean
  readonly profile: HealthProfile
  readonly dryRuns: UnitInput['dryRuns']
  readonly outside: LookupResult
}

function unitOf({
  desired,
  live,
  matters,
  leftover,
  cause,
  prune,
  drift,
  replaceImmutable,
  profile,
  dryRuns,
  outside,
}: Draw): UnitInput {
  const rows = desired.objects.flatMap((d, i) => (d ? [[d, matters[i % matters.length]!] as const] : []))
  const seen = new Map(
    rows.map(([d, m], i) => {
      const object = { ...d.object, status: live[i % live.length]?.status }
      return [d.id, liveOf(d.ref, object, m)] as const
    }),
  )
  const objects = rows.flatMap(([d, m]) =>
    m.entry === 'same' || m.entry === 'old' ? [entryOf(d.ref, m.entry === 'old' ? 'before' : d.content)] : [],
  )
  const intents = rows.flatMap(([d, m]): WriteIntent[] => {
    const { group, kind, namespace, name } = d.ref
    const replaces = m.replaces && {
      uid: m.replaces === 'before' ? 'uid-0' : 'uid-1',
      content: m.replaces === 'of old content' ? 'before' : d.content,
    }
    const nonce = m.repaired === undefined ? 'ours' : 'theirs'
    const id = { group, kind, name, nonce, ...(namespace ? { namespace } : {}) }
    return m.intent ? [{ ...id, ...(replaces ? { replaces } : {}) }] : []
  })
  return {
    announced: [],
    unit: UNIT,
    inventory: inventoryOf([...objects, ...(leftover ? [alienEntry] : [])], intents, cause),
    desired,
    leaving: false,
    live: (d) => seen.get(d.id),
    unlisted: () => undefined,
    ended: () => false,
    outside: () => outside,
    others: noOtherUnits,
    marked: new Set(),
    unconfirmed: 0,
    application: () => ({ type: 'met' }),
    instance: () => undefined,
    isSeen: () => true,
    unlabeled: () => 'unknown',
    memory: memoryOf(rows),
    apply: applySettings.parse({ prune, drift, replaceImmutable, concurrency: 2 }),
    health: { profile, timeoutSeconds: 600, degradedSeconds: 30, hookTimeoutSeconds: 1800 },
    dryRuns,
    steady: STEADY,
    now: 1_767_225_610_000,
  }
}

const inventoryOf = (
  objects: readonly InventoryObject[],
  intents: readonly WriteIntent[],
  cause: boolean,
): UnitInput['inventory'] => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Inventory',
  metadata: { name: 'm.web.edge', namespace: 'platform', uid: UID },
  spec: {
    moduleRef: { kind: 'Module', name: 'web', uid: 'm' },
    clusterRef: { kind: 'Secret', name: 'edge' },
    clusterUid: 'c',
    admitted: { revision: 'v1:r', bundle: 'v1:b', gateDigest: 'v1:g', serial: 1, contentSerial: 1 },
    objects: [...objects],
    intents: [...intents],
    ...(cause ? { causes: [{ cause: 'RemovedFromBundle' as const }] } : {}),
  },
})

/** A bundle as a cluster would get it; bundles whose order is refused never come so far. */
export const bound: fc.Arbitrary<{
  readonly bundle: readonly KubeObject[]
  readonly namespace: string | undefined
}> = fc.record({ bundle: bundles, namespace: fc.constantFrom(undefined, 'a') })

export const bind = (b: { readonly bundle: readonly KubeObject[]; readonly namespace: string | undefined }) =>
  desiredStateOf(b.bundle, { namespace: b.namespace, ignore: undefined }, find, digest)

/** Drawn once: binding costs more than all the rest, and what matters is how the states meet. */
const POOL = { numRuns: 400, seed: 1 }
const orders = fc.sample(bound, POOL).flatMap((b) => {
  const order = bind(b)
  return order.ok ? [order.value] : []
})
const statuses = fc.sample(liveObjects, POOL)

/** Everything as it was left: only then something is pruned. */
const WELL: Matter = {
  live: 'ours',
  entry: 'same',
  intent: false,
  failure: undefined,
  replaces: undefined,
  deleted: false,
  since: STEADY,
  wroteAt: undefined,
  degraded: undefined,
  repaired: undefined,
}

/** What there is beside the bundle: the same of everything that is asked for. */
const OUTSIDE: readonly LookupResult[] = [
  ...statuses.slice(0, 20).map((o): LookupResult => ({ type: 'Read', objects: [o], hasStatus: true })),
  { type: 'Read', objects: [], hasStatus: false },
  { type: 'Syncing' },
  { type: 'NotServed' },
  { type: 'Misplaced' },
  { type: 'Forbidden', detail: 'may not' },
  { type: 'Unread', detail: 'no route' },
]

export const units: fc.Arbitrary<UnitInput> = fc
  .record({
    desired: fc.constantFrom(...orders),
    live: fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 3 }),
    matters: fc.oneof(fc.array(matter, { minLength: 1, maxLength: 7 }), fc.constant([WELL])),
    leftover: fc.boolean(),
    cause: fc.boolean(),
    prune: fc.constantFrom(true, true, true, false),
    drift: fc.constantFrom('Revert', 'Revert', 'Observe', 'Ignore'),
    replaceImmutable: fc.constantFrom(true, true, false),
    profile: fc.constantFrom<HealthProfile>('Lockstep', 'Lockstep', 'Argo', 'KStatus'),
    dryRuns: fc.constantFrom('None' as const, 'None' as const, 'Updates' as const, 'NewFields' as const),
    outside: fc.constantFrom<LookupResult>(...OUTSIDE),
  })
  .map(unitOf)
