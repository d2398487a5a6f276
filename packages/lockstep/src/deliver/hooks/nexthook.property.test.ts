import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { ServedResource } from '../../../../kube/src/client/client.ts'
import { digestOf, type KubeObject, timestamp } from '../../../../kube/src/object/index.ts'
import type { HookRecord } from '../../api/kinds/inventory/spec.ts'
import { applySettings, healthSettings } from '../../api/kinds/module/spec.ts'
import { HOOK_FINALIZER } from '../../api/labels.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { noOtherUnits } from '../ownership/foreignunit.ts'
import { desiredStateOf } from '../plan/desiredstate.ts'
import { evaluate } from '../state/evaluate.ts'
import { unitHealth } from '../state/unithealth.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { emptyMemory } from '../state/unitmemory.ts'
import { nextStep } from '../step/nextstep.ts'
import { withHookRetry } from './hookretry.ts'

const NOW = 1_767_225_610_000
const STEADY = 1_000_000
const UID = 'inventory-1'

const job = (name: string, annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'a', annotations },
})
const BUNDLE: readonly KubeObject[] = [
  job('before', { 'argocd.argoproj.io/hook': 'PreSync,PostSync', 'lockstep.dev/hook-retries': '2' }),
  job('told', { 'argocd.argoproj.io/hook': 'SyncFail' }),
  job('leaves', { 'argocd.argoproj.io/hook': 'PreDelete' }),
  job('first', { 'helm.sh/hook': 'pre-install' }),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a' } },
]
const find = (group: string, kind: string, version = 'v1'): ServedResource => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
  hasStatus: kind === 'Job',
  verbs: [],
  preferred: true,
})
const bound = desiredStateOf(BUNDLE, { namespace: undefined, ignore: undefined }, find, digestOf)
if (!bound.ok) throw new Error(bound.error.message)
const desired = bound.value

const PHASES = ['PreSync', 'PostSync', 'SyncFail', 'PreDelete'] as const
const POLICIES: HookRecord['policy'][] = [[], ['BeforeHookCreation'], ['HookSucceeded'], ['HookFailed']]
const record: fc.Arbitrary<HookRecord> = fc
  .record({
    name: fc.constantFrom('before', 'before', 'told', 'leaves', 'first', 'gone'),
    phase: fc.constantFrom(...PHASES),
    serial: fc.constantFrom(1, 2, 2, 2, -1),
    attempt: fc.constantFrom(1, 2, 3),
    attempts: fc.constantFrom(1, 3),
    state: fc.constantFrom<HookRecord['state']>('Running', 'Running', 'Succeeded', 'Failed'),
    policy: fc.constantFrom(...POLICIES),
    reason: fc.constantFrom(undefined, 'HookFailed', 'HookTimeout'),
    uid: fc.constantFrom(undefined, 'uid-1'),
    endedAt: fc.constantFrom(undefined, timestamp(NOW - 1000), timestamp(NOW - 3_600_000)),
    timeoutSeconds: fc.constantFrom(60, 1800),
  })
  .map(({ reason, uid, endedAt, ...r }) => ({
    group: 'batch',
    kind: 'Job',
    namespace: 'a',
    version: 'v1',
    startedAt: timestamp(NOW - 100_000),
    ...r,
    nonce: `${r.phase} ${r.name} ${r.serial} ${r.attempt}`,
    ...(reason === undefined ? {} : { reason, message: 'failed' }),
    ...(uid === undefined ? {} : { uid }),
    ...(endedAt === undefined ? {} : { endedAt }),
  }))

const thing = fc.record({
  is: fc.constantFrom('gone', 'unknown', 'own', 'own', 'own', 'former', 'theirs'),
  condition: fc.constantFrom(undefined, undefined, 'Complete', 'Failed'),
  deleting: fc.constantFrom(false, false, true),
  isHeld: fc.boolean(),
})

function liveOf(r: HookRecord, t: typeof thing extends fc.Arbitrary<infer T> ? T : never) {
  if (t.is === 'gone') return undefined
  if (t.is === 'unknown') return 'unknown' as const
  const metadata = { name: r.name, namespace: 'a', creationTimestamp: timestamp(NOW - 90_000) }
  const status = t.condition ? { conditions: [{ type: t.condition, status: 'True' }] } : {}
  const live: LiveObject = {
    ref: r,
    version: 'v1',
    uid: 'uid-1',
    resourceVersion: '7',
    unit: 'm',
    fields: undefined,
    managers: '[]',
    inventory: t.is === 'theirs' ? 'inventory-2' : UID,
    nonce: t.is === 'own' ? r.nonce : 'another',
    deleting: t.deleting,
    finalizers: t.isHeld ? [HOOK_FINALIZER] : [],
    object: { apiVersion: 'batch/v1', kind: 'Job', metadata, status } as KubeObject,
  }
  return live
}

const inputs = fc
  .record({
    rows: fc.uniqueArray(fc.tuple(record, thing), {
      selector: ([r]) => `${r.phase} ${r.name}`,
      maxLength: 5,
    }),
    change: fc.constantFrom('Install', 'Upgrade', 'Rollback'),
    leaving: fc.constantFrom(false, false, true),
    isApplied: fc.boolean(),
    bornAt: fc.constantFrom(STEADY - 1000, STEADY - 60_000),
    made: fc.boolean(),
  })
  .map(({ rows, change, leaving, isApplied, bornAt, made }): UnitInput => {
    const hooks = rows.map(([r]) => r)
    const memory = emptyMemory(bornAt)
    if (made) for (const h of hooks) memory.hookRuns.set(h.nonce, { askedAt: undefined, madeAt: STEADY - 10 })
    const config = desired.objects.find((d) => d !== undefined)!
    const ref = { group: '', kind: 'ConfigMap', namespace: 'a', name: 'c' }
    const entry = { ...ref, version: 'v1', uid: 'uid-9', content: config.content, fields: 'f', level: 0 }
    const admitted = { revision: 'r', bundle: 'b', gateDigest: 'g', serial: 2, contentSerial: 2, change }
    const there = {
      ref,
      version: 'v1',
      uid: 'uid-9',
      resourceVersion: '3',
      unit: 'm',
      inventory: UID,
      nonce: undefined,
      fields: 'f',
      managers: '[]',
      deleting: false,
      finalizers: [],
      object: config.object,
    }
    return {
      announced: [],
      unit: 'm',
      desired,
      leaving,
      memory,
      dryRuns: 'None',
      steady: STEADY,
      now: NOW,
      inventory: {
        metadata: { name: 'i', uid: UID },
        spec: {
          clusterRef: { kind: 'Secret', name: 'c1' },
          admitted,
          hooks,
          ...(isApplied ? { objects: [entry] } : {}),
        },
      } as unknown as UnitInput['inventory'],
      live: () => (isApplied ? there : undefined),
      unlisted: () => undefined,
      ended: () => false,
      application: () => ({ type: 'met' }),
      outside: () => ({ type: 'NotServed' }),
      others: noOtherUnits,
      marked: new Set(),
      unconfirmed: 0,
      isSeen: () => true,
      unlabeled: () => 'unknown',
      instance: (r) => {
        const row = rows.find(([x]) => x.phase === r.phase && x.name === r.name)
        return row && liveOf(...row)
      },
      apply: applySettings.parse({}),
      health: healthSettings.parse({}),
    }
  })

const recordsOf = (input: UnitInput): readonly HookRecord[] => input.inventory.spec.hooks ?? []
const same = (a: HookRecord) => (b: HookRecord) => a.phase === b.phase && a.name === b.name

function decide(input: UnitInput) {
  const e = evaluate(input)
  const step = nextStep(input, e, (entries) => ({
    inventoryUid: UID,
    module: { namespace: 'platform', name: 'm' },
    cluster: 'c1',
    entries: entries.map((entry) => ({
      entry,
      live: 'gone' as const,
      fate: undefined,
      asked: false,
      terminatingMs: 0,
      kept: false,
      confirm: false,
      unlisted: undefined,
      refused: undefined,
    })),
  }))
  return {
    e,
    step,
    view: unitHealth(input, e, undefined),
    retried: withHookRetry(input.inventory.spec, 'All'),
  }
}

it('what hooks want next, whatever state they are in', () => {
  decidesAlike(inputs, decide, {
    'a run is made only where it is written down, for what is delivered, and nothing has its name': (
      input,
      { step },
    ) => {
      for (const x of step.type === 'effects' ? step.effects : []) {
        if (x.type !== 'create') continue
        expect([x.record.state, x.record.serial, x.record.uid]).toEqual(['Running', 2, undefined])
        const there = input.instance(x.record)
        if (typeof there === 'object') expect(there.inventory).not.toBe(UID)
      }
    },
    'nothing of a run is touched before its end is written down': (_, { step }) => {
      for (const x of step.type === 'effects' ? step.effects : [])
        if (x.type !== 'create' && x.record.state === 'Running') expect(x.live.nonce).not.toBe(x.record.nonce)
    },
    'what is not ours is never deleted or changed': (_, { step }) => {
      for (const x of step.type === 'effects' ? step.effects : [])
        if (x.type !== 'create') expect(x.live.inventory).toBe(UID)
    },
    'nothing begins that has succeeded for what is delivered, or that runs': (input, { step }) => {
      for (const s of step.type === 'start' ? step.starts : []) {
        const known = recordsOf(input).find((r) => `${r.phase} batch/Job/a/${r.name}` === s.hook.id)
        if (known?.serial === 2) expect(known.state).toBe('Failed')
      }
    },
    'a result stays what it is': (input, { step }) => {
      for (const r of step.type === 'hooks' ? step.records : []) {
        const before = recordsOf(input).find(same(r))!
        if (before.state !== 'Running') expect(r.state).toBe(before.state)
      }
    },
    'while an earlier content runs nothing begins': (_, { e, step }) => {
      if (e.former.length > 0) expect(['start', 'apply', 'intents', 'prune']).not.toContain(step.type)
    },
    'what is not done says why, or is about to be done': (_, { e, step, view }) => {
      if (step.type === 'rest' && !e.complete && !e.unsure) expect(view.blockers.length).toBeGreaterThan(0)
    },
    'a retry keeps what runs, and every record': (input, { retried }) => {
      expect(retried.hooks?.length ?? 0).toBe(recordsOf(input).length)
      for (const r of recordsOf(input)) if (r.state === 'Running') expect(retried.hooks).toContainEqual(r)
    },
  })
})
