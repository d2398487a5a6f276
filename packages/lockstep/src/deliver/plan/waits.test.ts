import { expect, it } from 'vitest'
import { digestOf, type KubeObject } from '../../../../kube/src/object/index.ts'
import { applySettings } from '../../api/kinds/module/spec.ts'
import { buildOrder } from '../../decisions/order/buildorder.ts'
import type { WaitNode } from '../../decisions/order/ordergraph.ts'
import { noOtherUnits } from '../ownership/foreignunit.ts'
import { evaluate } from '../state/evaluate.ts'
import type { LookupResult } from '../state/lookup.ts'
import { unitHealth } from '../state/unithealth.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { emptyMemory, type WaitMemory } from '../state/unitmemory.ts'
import { desiredStateOf } from './desiredstate.ts'
import { hasNewWaits, observedWaits, waitId, withWaits } from './waits.ts'

const STEADY = 1_000_000
const NOW = 1_767_225_600_000

const manifest = (annotations: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'app', namespace: 'a', annotations },
})

const read = (object?: Partial<KubeObject>, hasStatus = false): LookupResult => ({
  type: 'Read',
  objects: object ? [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, ...object }] : [],
  hasStatus,
})

interface Given {
  readonly notes: Readonly<Record<string, string>>
  readonly found: LookupResult
  readonly waits?: WaitMemory
  readonly recorded?: { readonly id: string; readonly serial: number }[]
}

function unitOf({ notes, found, waits, recorded }: Given): UnitInput {
  const resource = { plural: 'configmaps', namespaced: true, hasStatus: false, verbs: [], preferred: true }
  const binding = { namespace: undefined, ignore: undefined }
  const desired = desiredStateOf(
    [manifest(notes)],
    binding,
    (group, kind, version = 'v1') => ({ group, kind, version, ...resource }),
    digestOf,
  )
  if (!desired.ok) throw new Error(desired.error.message)
  return {
    announced: [],
    leaving: false,
    instance: () => undefined,
    isSeen: () => true,
    unlabeled: () => 'unknown',
    unlisted: () => undefined,
    ended: () => false,
    application: () => ({ type: 'met' }),
    dryRuns: 'None',
    unit: 'm.a.web',
    inventory: {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Inventory',
      metadata: { name: 'm.web.edge', namespace: 'a', uid: 'i' },
      spec: {
        moduleRef: { kind: 'Module', name: 'web', uid: 'm' },
        clusterRef: { kind: 'Secret', name: 'edge' },
        clusterUid: 'c',
        admitted: { revision: 'r', bundle: 'b', gateDigest: 'g', serial: 4, contentSerial: 3 },
        ...(recorded ? { waits: recorded } : {}),
      },
    },
    desired: desired.value,
    live: () => undefined,
    outside: () => found,
    others: noOtherUnits,
    marked: new Set(),
    unconfirmed: 0,
    memory: { ...emptyMemory(STEADY), waits },
    apply: applySettings.parse({}),
    health: { profile: 'Lockstep', timeoutSeconds: 600, degradedSeconds: 30, hookTimeoutSeconds: 1800 },
    steady: STEADY,
    now: NOW,
  }
}

const said = (given: Given): readonly string[] => {
  const input = unitOf(given)
  const e = evaluate(input)
  const health = unitHealth(input, e, undefined)
  const [first] = health.blockers
  return [health.health, ...(e.holding.size > 0 && first ? [first.reason, first.message] : [])]
}

const HEALTHY = { 'lockstep.dev/depends-on': 'example.com/namespaces/b/Widget/w' }
const JOB = { 'lockstep.dev/depends-on': 'batch/namespaces/b/Job/seed' }
const POD = { 'lockstep.dev/depends-on': '/namespaces/b/Pod/p' }
const THERE = { 'lockstep.dev/depends-on': '/namespaces/b/Secret/s=Exists' }
const when = (kind: string) => ({
  'lockstep.dev/wait-for': JSON.stringify([
    { apiVersion: 'v1', kind, name: 's', when: "object.data.x == 'on'" },
  ]),
})
const healthyBy = 'ConfigMap a/app waits for it to be healthy (lockstep.dev/depends-on)'
const at = (seconds: number) => ({
  metadata: { name: 'w', creationTimestamp: new Date(NOW - seconds * 1000).toISOString() },
})
const WIDGET = { apiVersion: 'example.com/v1', kind: 'Widget' }

it.each<[string, Readonly<Record<string, string>>, LookupResult, readonly string[]]>([
  [
    'is not served',
    HEALTHY,
    { type: 'NotServed' },
    [
      'WaitKindNotServed',
      `Widget b/w does not exist: the cluster serves no example.com/Widget; ${healthyBy}`,
    ],
  ],
  [
    'may not be read',
    HEALTHY,
    { type: 'Forbidden', detail: 'may not' },
    ['WaitForbidden', `Widget b/w cannot be read: may not; ${healthyBy}`],
  ],
  [
    'cannot be read now',
    HEALTHY,
    { type: 'Unread', detail: 'EOF' },
    ['WaitingForObject', `Widget b/w cannot be read: EOF; ${healthyBy}`],
  ],
  [
    'names no namespace',
    HEALTHY,
    { type: 'Misplaced' },
    ['WaitNotFound', `Widget b/w has no namespace, and its kind is namespaced; ${healthyBy}`],
  ],
  ['is not there', HEALTHY, read(), ['WaitNotFound', `Widget b/w does not exist; ${healthyBy}`]],
  [
    'is being listed',
    HEALTHY,
    { type: 'Syncing' },
    ['WatchStale', `Widget b/w is not read yet; ${healthyBy}`],
  ],
  [
    'goes',
    THERE,
    read({ metadata: { name: 's', deletionTimestamp: 'now' } }),
    [
      'WaitingForObject',
      'Secret b/s is terminating; ConfigMap a/app waits for it to exist (lockstep.dev/depends-on)',
    ],
  ],
  ['is there', THERE, read({}), []],
  [
    'is not healthy',
    HEALTHY,
    read({ ...WIDGET, ...at(99), status: { phase: 'Pending' } }),
    ['WaitingForObject', `Widget b/w: phase Pending; ${healthyBy}`],
  ],
  [
    'says nothing yet',
    HEALTHY,
    read({ ...WIDGET, ...at(4) }, true),
    ['WaitingForObject', `Widget b/w: waiting 6s for a stable status; ${healthyBy}`],
  ],
  ['never says anything', HEALTHY, read({ ...WIDGET, ...at(11) }, true), []],
  ['is of a kind without a status', HEALTHY, read({ ...WIDGET, ...at(1) }), []],
  [
    'is healthy',
    HEALTHY,
    read({ ...WIDGET, ...at(1), status: { conditions: [{ type: 'Ready', status: 'True' }] } }, true),
    [],
  ],
  [
    'runs',
    JOB,
    read({ apiVersion: 'batch/v1', kind: 'Job', status: { active: 1, startTime: 'now' } }),
    [
      'WaitingForObject',
      'Job b/seed: running; ConfigMap a/app waits for it to complete (lockstep.dev/depends-on)',
    ],
  ],
  [
    'has completed',
    JOB,
    read({
      apiVersion: 'batch/v1',
      kind: 'Job',
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    }),
    [],
  ],
  [
    'is ready, and has not ended',
    POD,
    read({ kind: 'Pod', status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }),
    [
      'WaitingForObject',
      'Pod b/p has not completed; ConfigMap a/app waits for it to complete (lockstep.dev/depends-on)',
    ],
  ],
  [
    'is not as asked',
    when('ConfigMap'),
    read({ data: { x: 'off' } }),
    [
      'WaitingForObject',
      "ConfigMap a/s: object.data.x == 'on' is not true; ConfigMap a/app waits for it to match its expression (lockstep.dev/wait-for)",
    ],
  ],
  ['is as asked', when('ConfigMap'), read({ data: { x: 'on' } }), []],
  [
    'is a Secret, of which nothing is told',
    when('Secret'),
    read({ kind: 'Secret', data: { x: 'on' } }),
    [
      'WaitingForObject',
      "Secret a/s: object.data.x == 'on' is not true; ConfigMap a/app waits for it to match its expression (lockstep.dev/wait-for)",
    ],
  ],
])('an awaited object that %s', (_, notes, found, blocker) => {
  expect(said({ notes, found })).toEqual(['Progressing', ...blocker])
})

const nodeOf = (notes: Readonly<Record<string, string>>): WaitNode => {
  const order = buildOrder([manifest(notes)])
  if (!order.ok) throw new Error(order.error.message)
  return order.value.nodes.find((n) => n.type === 'wait')!
}

const ID = waitId(nodeOf(HEALTHY))
const memory = (serial: number, more: Partial<WaitMemory> = {}): WaitMemory => ({
  serial,
  met: new Set(),
  since: new Map(),
  ...more,
})

it.each([
  ['met by this process', { waits: memory(3, { met: new Set([ID]) }) }, true],
  ['met by this process for other content', { waits: memory(2, { met: new Set([ID]) }) }, false],
  ['written down', { recorded: [{ id: ID, serial: 3 }] }, true],
  ['written down for other content', { recorded: [{ id: ID, serial: 2 }] }, false],
])('a condition that is %s', (_, known, isMet) => {
  expect(evaluate(unitOf({ notes: HEALTHY, found: read(), ...known })).holding.size === 0).toBe(isMet)
})

it.each([
  ['in time', STEADY - 599_999, read(), ['Progressing', 'WaitNotFound']],
  ['late, and not there', STEADY - 600_000, read(), ['Failed', 'WaitNotFound']],
  [
    'late, and not well',
    STEADY - 600_000,
    read({ ...WIDGET, status: { phase: 'Pending' } }),
    ['Failed', 'HealthTimeout'],
  ],
])('a condition that is %s', (_, at600, found, expected) => {
  const since = new Map([[ID, at600]])
  expect(said({ notes: HEALTHY, found, waits: memory(3, { since }) }).slice(0, 2)).toEqual(expected)
})

it('what is met is kept in mind, then written down with its content', () => {
  const input = unitOf({ notes: THERE, found: read({}) })
  const waits = observedWaits(input, evaluate(input))
  const id = 'Secret b/s Exists'
  expect([...waits!.met]).toEqual([id])
  const seen = { ...input, memory: { ...input.memory, waits } }
  expect(hasNewWaits(seen)).toBe(true)
  const spec = withWaits(input.inventory.spec, seen)
  expect(spec.waits).toEqual([{ id, serial: 3 }])
  expect(hasNewWaits({ ...seen, inventory: { ...input.inventory, spec } })).toBe(false)
})

it('an expression is not written down in full', () => {
  expect(waitId(nodeOf(when('ConfigMap')))).toMatch(/^ConfigMap a\/s Expr [0-9a-f]{10}$/)
})
