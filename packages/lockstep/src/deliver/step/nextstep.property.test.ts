import { expect, it } from 'vitest'
import { UID, units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { identityOf } from '../../../../kube/src/object/index.ts'
import type { InventoryObject } from '../../api/kinds/inventory/spec.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import type { PruneView } from '../deletion/prune.ts'
import { entriesOf, evaluate } from '../state/evaluate.ts'
import type { UnitInput } from '../state/unitinput.ts'
import { type NextStep, nextStep } from './nextstep.ts'

const HOLDS = new Set(['Namespace', 'PersistentVolumeClaim', 'PersistentVolume', 'CustomResourceDefinition'])

/** Everything that is to go has gone by itself. */
const viewOf = (entries: readonly InventoryObject[]): PruneView => ({
  inventoryUid: UID,
  module: { namespace: 'platform', name: 'm' },
  cluster: 'c1',
  entries: entries.map((entry) => ({
    entry,
    live: 'gone',
    fate: undefined,
    asked: false,
    terminatingMs: 0,
    kept: false,
    confirm: false,
    unlisted: undefined,
    refused: undefined,
  })),
})

const decide = (input: UnitInput): NextStep => nextStep(input, evaluate(input), viewOf)

/** Objects that the next request would create. */
function created(input: UnitInput, nodes: readonly number[]): string[] {
  return nodes
    .map((n) => input.desired.objects[n]!)
    .filter((d) => input.live(d) === undefined)
    .map((d) => d.id)
}

it('a unit has a next step, whatever state it is in', () => {
  decidesAlike(units, decide, {
    'it creates nothing that no intent announces, and no more at once than it may': (input, step) => {
      if (step.type !== 'apply') return
      const announced = new Set(input.inventory.spec.intents!.map(identityOf))
      expect(created(input, step.nodes).filter((id) => !announced.has(id))).toEqual([])
      expect(step.nodes.length).toBeGreaterThan(0)
      expect(step.nodes.length).toBeLessThanOrEqual(input.apply.concurrency)
    },
    'it deletes, to make anew, only what is refused as it is, allowed, ours, and announced with its uid': (
      input,
      step,
    ) => {
      if (step.type !== 'replace') return
      const { uid } = input.inventory.metadata
      for (const n of step.nodes) {
        const d = input.desired.objects[n]!
        const live = input.live(d)
        const isAllowed = input.apply.replaceImmutable || d.options.replaceImmutable
        expect([isAllowed, input.memory.failures.get(d.id)?.reason]).toEqual([true, 'ImmutableField'])
        expect(live).toMatchObject({ inventory: uid, deleting: false })
        const replaces = input.inventory.spec.intents!.find((i) => identityOf(i) === d.id)?.replaces
        expect(replaces).toEqual({ uid: (live as LiveObject).uid, content: d.content })
        expect(HOLDS.has(d.ref.kind)).toBe(false)
      }
    },
    'it prunes only what the bundle has no more, after everything in it is well': (input, step) => {
      if (step.type !== 'prune') return
      const known = entriesOf(input)
      const all = [...step.remove, ...step.release, ...step.keep]
      const pruned = all.filter((o) => !input.desired.letGo.has(identityOf(o)))
      if (pruned.length > 0) expect(input.apply.prune && evaluate(input).complete).toBe(true)
      for (const o of pruned) expect(input.desired.byId.has(identityOf(o))).toBe(false)
      for (const o of all) expect(known.has(identityOf(o))).toBe(true)
    },
    'what is not ours to write is not announced, written or deleted': (input, step) => {
      const { objects, letGo } = input.desired
      if (step.type === 'prune') expect(step.remove.filter((o) => letGo.has(identityOf(o)))).toEqual([])
      if (!('nodes' in step)) return
      for (const n of step.nodes) {
        const { mode } = objects[n]!.options
        expect(mode).not.toBe('Observe')
        if (mode === 'IfNotPresent') expect(input.live(objects[n]!)).toBeUndefined()
      }
    },
    'what is listed and not ours any more is let go of first': (input, step) => {
      const listed = [...entriesOf(input).values()].some((o) => input.desired.letGo.has(identityOf(o)))
      if (listed) expect(step.type).toBe('prune')
    },
    'it rests only where nothing may start, and wakes in the future': (input, step) => {
      if (step.type !== 'rest') return
      expect(evaluate(input).ready).toEqual([])
      if (step.wakeInMs !== undefined) expect(step.wakeInMs).toBeGreaterThanOrEqual(1)
    },
  })
})
