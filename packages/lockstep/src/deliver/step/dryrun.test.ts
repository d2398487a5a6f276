import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bind, entryOf, units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { evaluate } from '../state/evaluate.ts'
import type { UnitInput } from '../state/unitinput.ts'
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

/** All of them are there; those named are to change. */
function unitOf(bundle: readonly KubeObject[], changed: readonly string[]): UnitInput {
  const [model] = fc.sample(units, { numRuns: 1, seed: 1 })
  const bound = bind({ bundle, namespace: undefined })
  if (!bound.ok) throw new Error(bound.error.message)
  const desired = bound.value
  const all = desired.objects.flatMap((d) => d ?? [])
  const isChanged = (name: string | undefined): boolean => changed.includes(name!)
  const { uid } = model!.inventory.metadata
  const live = (d: (typeof all)[number]): LiveObject => ({
    ref: d.ref,
    version: 'v1',
    uid: 'uid-1',
    resourceVersion: '7',
    nonce: undefined,
    unit: model!.unit,
    inventory: uid,
    fields: 'f',
    managers: '[]',
    deleting: false,
    finalizers: [],
    object: d.object,
  })
  const objects = all.map((d) => entryOf(d.ref, isChanged(d.ref.name) ? 'before' : d.content))
  const { spec, ...inventory } = model!.inventory
  return {
    ...model!,
    desired,
    live,
    memory: emptyMemory(0),
    triesFirst: true,
    inventory: { ...inventory, spec: { ...spec, objects, intents: [] } },
    apply: { ...model!.apply, concurrency: 16 },
  }
}

function next(bundle: readonly KubeObject[], changed: readonly string[]) {
  const input = unitOf(bundle, changed)
  const found = dryRunNext(input, evaluate(input))
  const named = (nodes: readonly number[]) => nodes.map((n) => input.desired.objects[n]!.ref.name).sort()
  return found.type === 'dryrun' ? [named(found.nodes), named(found.passed)] : found.type
}

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

  it('whatever the state: only what is there and changes, once, and no write while one is refused', () => {
    decidesAlike(units, (input) => dryRunNext(input, evaluate(input)), {
      'only what is there, and differs': (input, found) => {
        if (found.type !== 'dryrun') return
        const { states } = evaluate(input)
        for (const n of [...found.nodes, ...found.passed])
          expect(states[n]).toMatchObject({ type: 'todo', live: expect.anything(), drift: undefined })
        expect(found.nodes.length + found.passed.length).toBeGreaterThan(0)
        expect(found.nodes.length).toBeLessThanOrEqual(input.apply.concurrency)
      },
      'never where nobody asks for it': (input, found) => {
        if (!input.triesFirst) expect(found).toEqual({ type: 'go' })
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
