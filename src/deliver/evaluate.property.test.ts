import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { units } from '../../test/arbitrary/unit.ts'
import { evaluate } from './evaluate.ts'
import { unitHealth } from './view.ts'

describe('where a unit stands, whatever state it is in', () => {
  it('starts only what has all its needs, and is complete only with everything healthy', () => {
    decidesAlike(units, evaluate, ({ desired: { graph } }, e) => {
      for (const n of e.ready) {
        expect(e.states[n]!.type).toBe('todo')
        for (const { from } of graph.needs[n]!) {
          expect(['applied', 'barrier']).toContain(e.states[from]!.type)
          expect(e.unmet.has(from)).toBe(false)
        }
      }
      const isWell = e.states.every(
        (s) => s.type === 'barrier' || (s.type === 'applied' && s.health.state === 'Healthy'),
      )
      if (e.complete) expect([isWell, e.ready, e.unmet.size]).toEqual([true, [], 0])
    })
  })

  it('counts each object once, and whatever is not complete says why', () => {
    decidesAlike(
      units,
      (input) => {
        const e = evaluate(input)
        return { e, view: unitHealth(input, e, undefined) }
      },
      (input, { e, view }) => {
        const { total, applied, ready, failed } = view.objects
        expect(total).toBe(input.desired.objects.filter((d) => d !== undefined).length)
        expect(ready).toBeLessThanOrEqual(applied)
        expect(applied).toBeLessThanOrEqual(total)
        expect(view.health === 'Healthy').toBe(e.complete)
        expect(view.health === 'Failed').toBe(failed > 0)
        expect(view.failure !== undefined).toBe(failed > 0)
        if (!e.complete && e.ready.length === 0) expect(view.blockers.length).toBeGreaterThan(0)
        expect(view.blockers.length).toBeLessThanOrEqual(10)
      },
    )
  })
})
