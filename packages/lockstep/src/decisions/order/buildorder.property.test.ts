import fc from 'fast-check'
import { expect, it } from 'vitest'
import { kappConfig, orderAnnotations } from '../../../../../test/arbitrary/arbitraryannotations.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { bundles } from '../../../../../test/arbitrary/manifests.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { buildOrder } from './buildorder.ts'
import type { OrderEdge, OrderGraph } from './ordergraph.ts'

/** Every node once, every edge forwards, every level above those of what it needs, unless rules of deletion say otherwise. */
function expectSound({ nodes, needs, sequence, depths, removals }: OrderGraph): void {
  const level = depths.map((d) => d.level)
  expect(new Set(sequence).size).toBe(nodes.length)
  const place = new Map(sequence.map((n, i) => [n, i]))
  const isForwards = (e: OrderEdge): boolean => place.get(e.from)! < place.get(e.to)!
  /** Only objects count: hooks leave no place behind. */
  const apart = (e: OrderEdge): number => (nodes[e.from]!.type === 'object' ? 1 : 0)
  const isDeeper = (e: OrderEdge): boolean => removals.length > 0 || level[e.to]! >= level[e.from]! + apart(e)
  expect(needs.flat().filter((e) => !isForwards(e) || !isDeeper(e))).toEqual([])
  expect(removals.filter((e) => level[e.from]! < level[e.to]! + apart(e))).toEqual([])
}

/** Objects that come before the Namespace they are in. */
function homeless({ nodes, sequence }: OrderGraph): string[] {
  const seen = new Set<string>()
  const all = new Set(
    nodes.flatMap((n) => (n.type === 'object' && n.options.mode !== 'Ignore' ? [n.id] : [])),
  )
  return sequence.flatMap((n) => {
    const node = nodes[n]!
    seen.add(node.id)
    if ((node.type !== 'object' && node.type !== 'hook') || node.options.mode === 'Ignore') return []
    const home = `/Namespace//${node.object.metadata.namespace}`
    return all.has(home) && !seen.has(home) ? [node.id] : []
  })
}

/** Objects of the graph and of the hooks outside it. */
function objectsOf(order: OrderGraph): Set<KubeObject> {
  const later = [...order.syncFail, ...order.preDelete, ...order.postDelete].flat()
  return new Set([...order.nodes, ...later].flatMap((n) => ('object' in n ? [n.object] : [])))
}

const annotated = fc
  .tuple(bundles, fc.array(orderAnnotations, { minLength: 6, maxLength: 6 }), fc.boolean())
  .map(([bundle, notes, withConfig]) => [
    ...bundle.map((o, i) => ({
      ...o,
      metadata: { ...o.metadata, annotations: { ...o.metadata.annotations, ...notes[i] } },
    })),
    ...(withConfig ? [kappConfig] : []),
  ])

const STEP = 'lockstep.dev/step'

/** The same objects, each of the step that is said of it; of none where nothing is. */
const inSteps = (bundle: readonly KubeObject[], step: (i: number) => number | undefined): KubeObject[] =>
  bundle.map((o, i) => {
    const { [STEP]: _, ...annotations } = o.metadata.annotations ?? {}
    const n = step(i)
    const notes = n === undefined ? annotations : { ...annotations, [STEP]: `${n}` }
    return { ...o, metadata: { ...o.metadata, annotations: notes } }
  })

/** All that is decided of an order, without the objects and their steps. */
function decided(bundle: readonly KubeObject[]): unknown {
  const order = buildOrder(bundle)
  if (!order.ok) return order
  const bare = (n: object) => ({ ...n, object: undefined, step: undefined })
  const { nodes, syncFail, preDelete, postDelete, configs: _, ...rest } = order.value
  const later = [syncFail, preDelete, postDelete].map((steps) => steps.map((s) => s.map(bare)))
  return { ...rest, later, nodes: nodes.map(bare) }
}

/** Steps of what is delivered or run, in the order in which it starts. */
const stepsOf = ({ nodes, sequence }: OrderGraph): number[] =>
  sequence.flatMap((n) => {
    const node = nodes[n]!
    const isPlaced = node.type === 'hook' || (node.type === 'object' && node.options.mode !== 'Ignore')
    return isPlaced ? [node.step] : []
  })

it('steps: one for all is none; what is of a later one comes after all that is of an earlier one', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 7, maxLength: 7 })
  decidesAlike(fc.tuple(annotated, steps), ([bundle, n]) => buildOrder(inSteps(bundle, (i) => n[i])), {
    'one for all changes nothing': ([bundle, n]) =>
      expect(decided(inSteps(bundle, () => n[0]))).toEqual(decided(inSteps(bundle, () => undefined))),
    'are taken in turn, with a Namespace before what is in it': (_, order) => {
      if (!order.ok) return
      const found = stepsOf(order.value)
      expect(found).toEqual([...found].sort((a, b) => a - b))
      expectSound(order.value)
      expect(homeless(order.value)).toEqual([])
    },
  })
})

it('a bundle has an order, whatever its objects', () => {
  decidesAlike(fc.tuple(fc.oneof(bundles, annotated), fc.nat()), ([bundle]) => buildOrder(bundle), {
    'the same for the same objects in any order': ([bundle, n], order) =>
      sameAnswer(order, buildOrder(shuffled(bundle, n))),
    'with every object, but for what only says something': ([bundle], order) => {
      if (!order.ok) return
      expect(objectsOf(order.value)).toEqual(new Set(bundle.filter((o) => o !== kappConfig)))
    },
    'with every edge forwards, and a Namespace before what is in it': (_, order) => {
      if (!order.ok) return
      expectSound(order.value)
      expect(homeless(order.value)).toEqual([])
    },
    'without a dialect, its annotations say nothing': ([bundle], order) => {
      if (!order.ok) return
      const bare = buildOrder(bundle, [])
      if (bare.ok)
        expect(
          bare.value.nodes.every(
            (n) => n.type !== 'hook' || 'lockstep.dev/hook' in n.object.metadata.annotations!,
          ),
        ).toBe(true)
      else expect(bare.error.reason).not.toBe('UnsupportedAnnotation')
    },
  })
})
