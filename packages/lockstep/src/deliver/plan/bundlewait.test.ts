/** Waits of a bundle, on a cluster. */
import { describe, expect, it } from 'vitest'
import { digestOf, type KubeObject } from '../../../../kube/src/object/index.ts'
import { blocked } from '../../api/blocker.ts'
import { applySettings } from '../../api/kinds/module/spec.ts'
import { noOtherUnits } from '../ownership/foreignunit.ts'
import { evaluate } from '../state/evaluate.ts'
import type { LookupQuery, LookupResult, WaitResult } from '../state/lookup.ts'
import { unitHealth } from '../state/unithealth.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { emptyMemory } from '../state/unitmemory.ts'
import { desiredStateOf } from './desiredstate.ts'
import { observedWaits, withWaits } from './waits.ts'

const STEADY = 1_000_000
const CLASSES = { group: 'storage.k8s.io', kind: 'StorageClass', plural: 'storageclasses', namespaced: false }
const WAVE = 'argocd.argoproj.io/sync-wave'

const wait = (name: string, spec: object): KubeObject =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Wait',
    metadata: { name, annotations: { [WAVE]: '5' } },
    spec: { asked: `sequenceJob of ${name}`, ...spec },
  }) as unknown as KubeObject

const LATER: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'later', namespace: 'a', annotations: { [WAVE]: '10' } },
}

interface Given {
  readonly waits: readonly KubeObject[]
  readonly found: (s: LookupQuery) => LookupResult
  readonly namespace?: string
  readonly since?: number
  readonly application?: (name: string) => WaitResult
}

function unitOf({ waits, found, namespace, since, application = () => ({ type: 'met' }) }: Given): UnitInput {
  const resource = { plural: 'configmaps', namespaced: true, hasStatus: false, verbs: [], preferred: true }
  const desired = desiredStateOf(
    [...waits, LATER],
    { namespace, ignore: undefined },
    (group, kind, version = 'v1') => ({ group, kind, version, ...resource }),
    digestOf,
  )
  if (!desired.ok) throw new Error(desired.error.message)
  const memory = emptyMemory(STEADY)
  return {
    announced: [],
    leaving: false,
    instance: () => undefined,
    isSeen: () => true,
    unlabeled: () => 'unknown',
    unlisted: () => undefined,
    ended: () => false,
    application,
    dryRuns: 'None',
    unit: 'm.a.web',
    inventory: {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Inventory',
      metadata: { name: 'm.web.hub', namespace: 'a', uid: 'i' },
      spec: {
        moduleRef: { kind: 'Module', name: 'web', uid: 'm' },
        clusterRef: { kind: 'Secret', name: 'hub' },
        clusterUid: 'c',
        admitted: { revision: 'r', bundle: 'b', gateDigest: 'g', serial: 4, contentSerial: 3 },
      },
    },
    desired: desired.value,
    live: () => undefined,
    outside: found,
    others: noOtherUnits,
    marked: new Set(),
    unconfirmed: 0,
    memory:
      since === undefined
        ? memory
        : { ...memory, waits: { serial: 3, met: new Set(), since: new Map([['sc fast Exists', since]]) } },
    apply: applySettings.parse({}),
    health: { profile: 'Lockstep', timeoutSeconds: 600, degradedSeconds: 30, hookTimeoutSeconds: 1800 },
    steady: STEADY,
    now: 1_767_225_600_000,
  }
}

const FAST = { resourceType: 'sc', resourceName: 'fast' }
const none: LookupResult = { type: 'Read', objects: [], hasStatus: false, resource: CLASSES }
const one: LookupResult = { ...none, objects: [{ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } }] }
const blockers = (given: Given): readonly (readonly string[])[] => {
  const input = unitOf(given)
  const e = evaluate(input)
  const health = unitHealth(input, e, undefined)
  return [[health.health], ...health.blockers.map((b) => [b.reason, b.message])]
}
const BEHIND = [
  'WaitingForObject',
  'ConfigMap a/later waits for sc fast to exist (argocd.argoproj.io/sync-wave 5 before 10)',
]

describe('what a wave waits for', () => {
  it('is no kind of the cluster, which would be asked for it for ever', () => {
    const asked: string[] = []
    const find = (_group: string, kind: string) => void asked.push(kind)
    const bundle = [wait('odf', FAST), LATER]
    expect(desiredStateOf(bundle, { namespace: 'a', ignore: undefined }, find, digestOf).ok).toBe(true)
    expect([...new Set(asked)]).toEqual(['ConfigMap'])
  })
  it('is named with its cluster, its wave and who asks for it', () => {
    const input = unitOf({ waits: [wait('odf', FAST)], found: () => none })
    const [first] = unitHealth(input, evaluate(input), undefined).blockers
    expect(first?.on?.[0]).toMatchObject({ kind: 'Object', name: 'fast', cluster: 'hub' })
    expect(blockers({ waits: [wait('odf', FAST)], found: () => none })).toEqual([
      ['Progressing'],
      [
        'WaitNotFound',
        'StorageClass fast (sc → storageclasses.storage.k8s.io) does not exist (wave 5, sequenceJob of odf)',
      ],
      BEHIND,
    ])
  })
  it.each<[string, LookupResult, readonly string[]]>([
    [
      'whose type nobody serves',
      { type: 'NotServed' },
      [
        'WaitKindNotServed',
        'sc fast does not exist: the cluster serves no "sc" (wave 5, sequenceJob of odf)',
      ],
    ],
    [
      'that may not be read',
      { type: 'Forbidden', detail: 'User "u" cannot list resource "storageclasses"', resource: CLASSES },
      [
        'WaitForbidden',
        'StorageClass fast (sc → storageclasses.storage.k8s.io) cannot be read: User "u" cannot list resource "storageclasses" (wave 5, sequenceJob of odf)',
      ],
    ],
    [
      'that lacks a namespace',
      {
        type: 'Misplaced',
        resource: { group: 'apps', kind: 'Deployment', plural: 'deployments', namespaced: true },
      },
      [
        'WaitNotFound',
        'Deployment fast (sc → deployments.apps) has no namespace, and its kind is namespaced (wave 5, sequenceJob of odf)',
      ],
    ],
    [
      'that is being read',
      { type: 'Syncing' },
      ['WatchStale', 'sc fast is not read yet (wave 5, sequenceJob of odf)'],
    ],
  ])('%s', (_, found, blocker) =>
    expect(blockers({ waits: [wait('odf', FAST)], found: () => found })[1]).toEqual(blocker),
  )
  it('is there: the next wave begins', () => {
    const input = unitOf({ waits: [wait('odf', FAST)], found: () => one })
    const e = evaluate(input)
    expect(e.ready.map((n) => input.desired.objects[n]?.ref.name)).toEqual(['later'])
    const seen = { ...input, memory: { ...input.memory, waits: observedWaits(input, e) } }
    expect(withWaits(input.inventory.spec, seen).waits).toEqual([{ id: 'sc fast Exists', serial: 3 }])
  })
  it('is one of two: only what lacks is named', () => {
    const waits = [wait('odf', FAST), wait('virt', { resourceType: 'crd', resourceName: 'there' })]
    const found = (s: LookupQuery): LookupResult => (s.type === 'crd' ? one : none)
    expect(blockers({ waits, found }).slice(1)).toEqual([
      [expect.anything(), expect.stringContaining('of odf')],
      BEHIND,
    ])
  })
  it('has had its time: the unit has failed, and names it still', () => {
    const late = blockers({ waits: [wait('odf', FAST)], found: () => none, since: STEADY - 600_000 })
    expect(late.slice(0, 2)).toEqual([['Failed'], ['WaitNotFound', expect.stringMatching(/ after 600s \(/)]])
  })
  it('without a name is any of its kind, and none too', () => {
    const asked: LookupQuery[] = []
    const found = (s: LookupQuery): LookupResult => {
      asked.push(s)
      return none
    }
    expect(blockers({ waits: [wait('odf', { resourceType: 'sc' })], found })[0]).toEqual(['Progressing'])
    expect(evaluate(unitOf({ waits: [wait('odf', { resourceType: 'sc' })], found })).ready).toHaveLength(1)
    expect(asked[0]).toEqual({ group: '', kind: 'sc', type: 'sc' })
  })
})

describe('the namespace in which it is looked for', () => {
  const asked = (spec: object, namespace?: string): unknown => {
    const all: LookupQuery[] = []
    const found = (s: LookupQuery): LookupResult => {
      all.push(s)
      return one
    }
    evaluate(unitOf({ waits: [wait('odf', spec)], found, ...(namespace ? { namespace } : {}) }))
    return all[0]?.namespace
  }
  const FOO = { resourceType: 'deployment', resourceName: 'foo' }

  it('is the one that is said', () => expect(asked({ ...FOO, resourceNamespace: 'b' }, 'target')).toBe('b'))
  it('is else that of the unit', () => expect(asked(FOO, 'target')).toBe('target'))
  it('is else none', () => expect(asked(FOO)).toBeUndefined())
})

describe('content', () => {
  const digest = (spec: object): string =>
    unitOf({ waits: [wait('odf', spec)], found: () => none }).desired.contentDigest

  it('is another with another wait, and the same whoever asks for it', () => {
    expect(digest({ ...FAST, asked: 'somebody' })).toBe(digest(FAST))
    expect(digest({ ...FAST, resourceName: 'slow' })).not.toBe(digest(FAST))
  })
})

describe('an application that a wave waits for', () => {
  const VAULT = { kind: 'Unit', name: 'hub-vault', namespace: 'a', cluster: 'hub' } as const
  const of = (seen: Partial<Extract<WaitResult, { type: 'application' }>>): Given => ({
    waits: [wait('application-vault', { application: 'vault', asked: 'application vault' })],
    found: () => none,
    application: () => ({
      type: 'application',
      blocker: blocked('DependencyNotReady', [VAULT], {
        edge: 'hub-vault',
        state: 'Deploying',
        detail: 'old',
      }),
      isFailed: false,
      ...seen,
    }),
  })
  it('is named with what keeps it, and its Module', () => {
    const input = unitOf(of({}))
    const { health, blockers: said } = unitHealth(input, evaluate(input), undefined)
    expect([health, ...said]).toEqual([
      'Progressing',
      expect.objectContaining({
        reason: 'DependencyNotReady',
        on: [VAULT],
        message: 'waiting for dependency hub-vault on hub: deploying: old',
      }),
      expect.objectContaining({
        on: [VAULT],
        message:
          'ConfigMap a/later waits for hub-vault to be healthy (argocd.argoproj.io/sync-wave 5 before 10)',
      }),
    ])
  })
  it('has no time of its own: the unit fails once it has failed, however long that takes', () => {
    const old = { serial: 3, met: new Set<string>(), since: new Map([['application vault Healthy', 0]]) }
    const healthAfter = (isFailed: boolean) => {
      const unit = unitOf(of({ isFailed }))
      const input = { ...unit, memory: { ...unit.memory, waits: old } }
      return unitHealth(input, evaluate(input), undefined).health
    }
    expect([healthAfter(false), healthAfter(true)]).toEqual(['Progressing', 'Failed'])
  })
  it('that was ready once is ready for this content', () => {
    const input = unitOf({ ...of({}), application: () => ({ type: 'met' }) })
    const e = evaluate(input)
    const seen = { ...input, memory: { ...input.memory, waits: observedWaits(input, e) } }
    const spec = withWaits(input.inventory.spec, seen)
    expect(spec.waits).toEqual([{ id: 'application vault Healthy', serial: 3 }])
    const later = { ...unitOf(of({})), inventory: { ...input.inventory, spec } }
    expect(evaluate(later).ready.map((n) => later.desired.objects[n]?.ref.name)).toEqual(['later'])
  })
  it('is content: one more is asked for anew', () => {
    const digestWith = (names: readonly string[]) =>
      unitOf({ waits: names.map((n) => wait(n, { application: n })), found: () => none }).desired
        .contentDigest
    expect(digestWith(['vault', 'ui'])).not.toBe(digestWith(['vault']))
  })
})
