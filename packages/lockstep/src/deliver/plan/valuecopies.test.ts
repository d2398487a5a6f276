import { expect, it } from 'vitest'
import { manifest } from '../../../../../test/order.ts'
import { digestOf, type JsonObject, type KubeObject } from '../../../../kube/src/object/index.ts'
import type { InventoryObject } from '../../api/kinds/inventory/spec.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import type { LookupResult } from '../state/lookup.ts'
import { missingCopy } from './desiredproblem.ts'
import { type DesiredObject, desiredStateOf, type UnitDesiredState } from './desiredstate.ts'
import { withValueCopies } from './valuecopies.ts'

const KEY = 'config.kubernetes.io/apply-time-mutation'

const mutation = (sourcePath: string, targetPath: string, token?: string) => ({
  sourceRef: { apiVersion: 'v1', kind: 'Service', name: 'db' },
  sourcePath,
  targetPath,
  ...(token === undefined ? {} : { token }),
})

function bound(
  mutations: readonly object[],
  data: JsonObject,
  more: readonly KubeObject[] = [],
): UnitDesiredState {
  const object = manifest('v1 ConfigMap app/a', { [KEY]: JSON.stringify(mutations) }, { data })
  const resource = { plural: 'x', namespaced: true, hasStatus: false, verbs: [], preferred: true }
  const binding = { namespace: undefined, ignore: undefined }
  const desired = desiredStateOf(
    [object, ...more],
    binding,
    (group, kind, version = 'v1') => ({ group, kind, version, ...resource }),
    digestOf,
  )
  if (!desired.ok) throw new Error(desired.error.message)
  return desired.value
}

const service = (spec: JsonObject, resourceVersion = '5'): LookupResult => ({
  type: 'Read',
  objects: [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'db', namespace: 'app', resourceVersion }, spec },
  ],
  hasStatus: true,
})

interface Given {
  readonly found: LookupResult
  readonly live?: Partial<LiveObject>
  readonly entry?: Partial<InventoryObject>
}

const ID = '/ConfigMap/app/a'

function copied(desired: UnitDesiredState, { found, live, entry }: Given): DesiredObject {
  const made = withValueCopies(desired, {
    outside: () => found,
    live: () => live as LiveObject | undefined,
    entries: new Map(entry ? [[ID, entry as InventoryObject]] : []),
  })
  return made.objects[made.byId.get(ID)!]!
}

it.each<[string, readonly object[], JsonObject, JsonObject, JsonObject]>([
  [
    'a whole value',
    [mutation('$.spec.clusterIP', '$.data.host')],
    { host: '' },
    { clusterIP: '10.0.0.7' },
    { host: '10.0.0.7' },
  ],
  [
    'a part of a text, wherever it is',
    [mutation('$.spec.ports[0].port', '$.data.url', '%p')],
    { url: 'db:%p/%p' },
    { ports: [{ port: 5432 }] },
    { url: 'db:5432/5432' },
  ],
  [
    'what only looks like a pattern',
    [mutation('$.spec.x', '$.data.url', '.')],
    { url: 'a.b' },
    { x: '$&' },
    { url: 'a$&b' },
  ],
  [
    'a tree',
    [mutation('$.spec.selector', '$.data.s')],
    { s: '' },
    { selector: { app: 'db' } },
    { s: { app: 'db' } },
  ],
  [
    'a tree in a text',
    [mutation('$.spec.selector', '$.data.s', '%s')],
    { s: '<%s>' },
    { selector: { app: 'db' } },
    { s: '<{"app":"db"}>' },
  ],
  [
    'one after the other',
    [mutation('$.spec.a', '$.data.s', '%a'), mutation('$.spec.b', '$.data.s', '%b')],
    { s: '%a-%b' },
    { a: 1, b: true },
    { s: '1-true' },
  ],
])('copied is %s', (_, mutations, data, spec, expected) => {
  expect(copied(bound(mutations, data), { found: service(spec) }).object.data).toEqual(expected)
})

const host = bound([mutation('$.spec.clusterIP', '$.data.host')], { host: '' })
const plain = host.objects[host.byId.get(ID)!]!

it('the content follows the value, the manifest and the digest of all contents do not', () => {
  const [a, b] = ['10.0.0.1', '10.0.0.2'].map((clusterIP) => copied(host, { found: service({ clusterIP }) }))
  expect(a!.content).not.toBe(b!.content)
  expect([a!.manifest, b!.manifest]).toEqual([plain.content, plain.content])
  expect(copied(host, { found: service({ clusterIP: '10.0.0.1' }, '9') }).content).toBe(a!.content)
})

function lackText(d: DesiredObject): string {
  const { reason, message } = missingCopy(d, d.lack!, 'c1')
  return `${reason}: ${message}`
}

const waits = '; ConfigMap app/a waits for it to exist (config.kubernetes.io/apply-time-mutation)'

it.each<[string, LookupResult, string]>([
  [
    'is not there',
    { type: 'Read', objects: [], hasStatus: true },
    `WaitNotFound: Service app/db does not exist${waits}`,
  ],
  ['has no such value', service({}), `WaitingForObject: Service app/db has no $.spec.clusterIP${waits}`],
  ['is being read', { type: 'Syncing' }, `WatchStale: Service app/db is not read yet${waits}`],
  [
    'is of no kind',
    { type: 'NotServed' },
    `WaitKindNotServed: Service app/db does not exist: the cluster serves no such kind${waits}`,
  ],
  [
    'names no namespace',
    { type: 'Misplaced' },
    `WaitNotFound: Service app/db has no namespace, and its kind is namespaced${waits}`,
  ],
  [
    'may not be read',
    { type: 'Forbidden', detail: 'no' },
    `WaitForbidden: Service app/db cannot be read: no${waits}`,
  ],
  [
    'cannot be read',
    { type: 'Unread', detail: 'EOF' },
    `WaitingForObject: Service app/db cannot be read: EOF${waits}`,
  ],
])(
  'a source that %s: what was made of this manifest stays, what was made of another does not',
  (_, found, text) => {
    const same = copied(host, { found, entry: { content: 'made', manifest: plain.content } })
    expect([lackText(same), same.content]).toEqual([text, 'made'])
    const other = copied(host, { found, entry: { content: 'made', manifest: 'before' } })
    expect(other.content).toBe(plain.content)
  },
)

it('of an object of the bundle nothing older is copied than what was just written', () => {
  const own = manifest('v1 Service app/db', undefined, { spec: { clusterIP: 'x' } })
  const desired = bound([mutation('$.spec.clusterIP', '$.data.host')], { host: '' }, [own])
  const found = service({ clusterIP: 'old' }, '9')
  expect(copied(desired, { found, live: { resourceVersion: '10' } }).lack).toMatchObject({
    reason: 'WatchStale',
  })
  expect(copied(desired, { found, live: { resourceVersion: '9' } }).lack).toBeUndefined()
  expect(copied(desired, { found, live: { resourceVersion: '8' } }).lack).toBeUndefined()
})

it('a bundle without copies is left as it is', () => {
  const desired = bound([mutation('$.spec.x', '$.data.x')], { x: '' })
  const without = {
    ...desired,
    objects: desired.objects.map((d) => (d ? { ...d, copies: undefined } : d)),
  } as UnitDesiredState
  const made = withValueCopies(without, {
    outside: () => ({ type: 'Syncing' }),
    live: () => undefined,
    entries: new Map(),
  })
  expect(made).toBe(without)
})
