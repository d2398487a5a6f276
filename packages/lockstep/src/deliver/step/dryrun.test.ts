import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bind, entryOf, units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '../../../../kube/src/object/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { wantedOf } from '../ownership/fieldowners.ts'
import { markedBody } from '../plan/desiredstate.ts'
import { evaluate } from '../state/evaluate.ts'
import type { NodeState, UnitInput } from '../state/unitinput.ts'
import { emptyMemory } from '../state/unitmemory.ts'
import { dryRunNext } from './dryrun.ts'

const config = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a' },
})
const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'a' },
}
const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', names: { kind: 'Widget' }, scope: 'Namespaced' },
}
const webhook: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'h', namespace: 'a' },
}

const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } }
const withData = (o: KubeObject, data: JsonObject): KubeObject => ({ ...o, data }) as KubeObject

/** FieldsV1 of an object without lists. */
const fieldsV1Of = (value: JsonValue): JsonObject =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([k, v]) => (v === undefined ? [] : [[`f:${k}`, fieldsV1Of(v)]])),
      )
    : {}

/** As if Lockstep had applied the object with one value. */
function managersOf(o: KubeObject, unit: string, inventory: string): string {
  const before = markedBody(withData(o, { value: '0' }), unit, inventory, undefined)
  const fieldsV1 = fieldsV1Of(wantedOf(before))
  return JSON.stringify([{ manager: MANAGER, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1 }])
}

/** Those named `new` do not exist; those named in `changed` are to change. */
function unitOf(
  bundle: readonly KubeObject[],
  changed: readonly string[],
  dryRuns: UnitInput['dryRuns'],
): UnitInput {
  const [model] = fc.sample(units, { numRuns: 1, seed: 1 })
  const bound = bind({ bundle, namespace: undefined })
  if (!bound.ok) throw new Error(bound.error.message)
  const desired = bound.value
  const all = desired.objects.flatMap((d) => d ?? [])
  const isChanged = (name: string | undefined): boolean => changed.includes(name!)
  const { uid } = model!.inventory.metadata
  const live = (d: (typeof all)[number]): LiveObject | undefined =>
    d.ref.name === 'new'
      ? undefined
      : {
          ref: d.ref,
          version: 'v1',
          uid: 'uid-1',
          resourceVersion: '7',
          nonce: undefined,
          unit: model!.unit,
          inventory: uid,
          fields: 'f',
          managers: managersOf(d.object, model!.unit, uid),
          deleting: false,
          finalizers: [],
          object: d.object,
        }
  const known = all.filter((d) => d.ref.name !== 'new')
  const objects = known.map((d) => entryOf(d.ref, isChanged(d.ref.name) ? 'before' : d.content))
  const { spec, ...inventory } = model!.inventory
  return {
    ...model!,
    desired,
    live,
    memory: emptyMemory(0),
    dryRuns,
    inventory: { ...inventory, spec: { ...spec, objects, intents: [] } },
    apply: { ...model!.apply, concurrency: 16 },
  }
}

function next(
  bundle: readonly KubeObject[],
  changed: readonly string[],
  dryRuns: UnitInput['dryRuns'] = 'Updates',
) {
  const input = unitOf(bundle, changed, dryRuns)
  const found = dryRunNext(input, evaluate(input))
  const named = (nodes: readonly number[]) => nodes.map((n) => input.desired.objects[n]!.ref.name).sort()
  return found.type === 'dryrun' ? [named(found.nodes), named(found.passed)] : found.type
}

const isNew = (s: NodeState): boolean => s.type === 'todo' && s.live === undefined

describe('what is tried before anything is written', () => {
  it.each<[string, readonly KubeObject[], readonly string[], unknown]>([
    ['nothing changes', [config('x'), config('y')], [], 'go'],
    ['what changes', [config('x'), config('y')], ['y'], [['y'], []]],
    [
      'not what its own definition changes with',
      [definition, widget],
      ['w', 'widgets.example.com'],
      [['widgets.example.com'], ['w']],
    ],
    ['but with a definition that stays', [definition, widget], ['w'], [['w'], []]],
    [
      'nothing but the rules, where rules of admission change',
      [webhook, config('x')],
      ['h', 'x'],
      [['h'], ['x']],
    ],
  ])('%s', (_, bundle, changed, expected) => {
    expect(next(bundle, changed)).toEqual(expected)
  })

  it.each<[string, readonly KubeObject[], readonly string[], unknown]>([
    ['other values only', [withData(config('x'), { value: '1' })], ['x'], 'go'],
    ['a field that is added', [withData(config('x'), { value: '0', more: '1' })], ['x'], [['x'], []]],
    ['a field that is removed', [config('x')], ['x'], [['x'], []]],
    ['a new object', [config('x'), config('new')], [], [['new'], []]],
    ['nothing of an installation', [config('new')], [], 'go'],
    [
      'not in a Namespace that is new',
      [config('x'), namespace, { ...config('new'), metadata: { name: 'new', namespace: 'new' } }],
      [],
      [['new'], ['new']],
    ],
  ])('new objects and other fields: %s', (_, bundle, changed, expected) => {
    expect(next(bundle, changed, 'NewFields')).toEqual(expected)
  })

  it('whatever the state: only what is new or changes, once, and no write while one is refused', () => {
    decidesAlike(units, (input) => dryRunNext(input, evaluate(input)), {
      'only what is new, or differs': (input, found) => {
        if (found.type !== 'dryrun') return
        const { states } = evaluate(input)
        for (const n of [...found.nodes, ...found.passed])
          expect(states[n]).toMatchObject(
            isNew(states[n]!)
              ? { live: undefined, entry: undefined, drift: undefined }
              : { type: 'todo', live: expect.anything(), drift: undefined },
          )
        if (input.dryRuns === 'Updates') expect(found.nodes.some((n) => isNew(states[n]!))).toBe(false)
        expect(found.nodes.length + found.passed.length).toBeGreaterThan(0)
        expect(found.nodes.length).toBeLessThanOrEqual(input.apply.concurrency)
      },
      'never where nobody asks for it': (input, found) => {
        if (input.dryRuns === 'None') expect(found).toEqual({ type: 'go' })
      },
      'not again for the same content': (input, found) => {
        if (found.type !== 'dryrun') return
        const dryRuns = new Map(
          [...found.nodes, ...found.passed].map((n) => {
            const d = input.desired.objects[n]!
            return [d.id, d.content] as const
          }),
        )
        const again = { ...input, memory: { ...input.memory, dryRuns } }
        const later = dryRunNext(again, evaluate(again))
        if (later.type === 'dryrun')
          for (const n of later.nodes) expect(dryRuns.has(input.desired.objects[n]!.id)).toBe(false)
      },
    })
  })
})
