import { expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { units } from '../../test/arbitrary/unit.ts'
import { evaluate, type UnitInput } from './evaluate.ts'
import { unitHealth } from './view.ts'

/** Where a unit stands, and what people are told of it. */
function look(input: UnitInput) {
  const e = evaluate(input)
  return { e, view: unitHealth(input, e, undefined) }
}

it('a unit stands somewhere, whatever state it is in', () => {
  decidesAlike(units, look, {
    'only what has all its needs may start': ({ desired: { graph } }, { e }) => {
      const isMet = (n: number) => ['applied', 'barrier'].includes(e.states[n]!.type) && !e.unmet.has(n)
      for (const n of e.ready) {
        expect(['todo', 'replace']).toContain(e.states[n]!.type)
        expect(graph.needs[n]!.filter(({ from }) => !isMet(from))).toEqual([])
      }
    },
    'it is complete only with everything healthy': (_, { e }) => {
      const isWell = e.states.every(
        (s) => s.type === 'barrier' || (s.type === 'applied' && s.health.state === 'Healthy'),
      )
      if (e.complete) expect([isWell, e.ready, e.unmet.size]).toEqual([true, [], 0])
    },
    'each object is counted once': (input, { view: { objects } }) => {
      expect(objects.total).toBe(input.desired.objects.filter((d) => d !== undefined).length)
      expect(objects.ready).toBeLessThanOrEqual(objects.applied)
      expect(objects.applied).toBeLessThanOrEqual(objects.total)
    },
    'what is not complete says why': (_, { e, view }) => {
      expect([view.health === 'Healthy', view.health === 'Failed']).toEqual([
        e.complete,
        view.objects.failed > 0,
      ])
      expect(view.failure !== undefined).toBe(view.objects.failed > 0)
      if (!e.complete && e.ready.length === 0) expect(view.blockers.length).toBeGreaterThan(0)
      expect(view.blockers.length).toBeLessThanOrEqual(10)
    },
  })
})
