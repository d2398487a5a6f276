import { expect, it } from 'vitest'
import { units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { at } from '../../../../kube/src/object/index.ts'
import { lastOfCompletedWaves } from './completedwaves.ts'
import { evaluate } from './evaluate.ts'
import { unitHealth } from './unithealth.ts'
import type { NodeState, UnitInput } from './unitinput.ts'

/** Where a unit stands, and what people are told of it. */
function look(input: UnitInput) {
  const e = evaluate(input)
  return { e, view: unitHealth(input, e, undefined) }
}

/** Of what is no object: there is nothing more to wait for. */
function isPassed(s: NodeState): boolean {
  if (s.type === 'hook') return s.stage.is === 'Skipped' || s.stage.is === 'Succeeded'
  return s.type === 'barrier' || (s.type === 'wait' && s.met)
}

it('a unit stands somewhere, whatever state it is in', () => {
  decidesAlike(units, look, {
    'only what has all its needs may start': ({ desired: { graph } }, { e }) => {
      const isMet = (n: number) => {
        const s = e.states[n]!
        if (e.unmet.has(n)) return false
        return s.type === 'applied' || s.type === 'hook' || isPassed(s)
      }
      for (const n of e.ready) {
        expect(['todo', 'replace', 'hook']).toContain(e.states[n]!.type)
        expect(graph.needs[n]!.filter(({ from }) => !isMet(from))).toEqual([])
      }
    },
    'a wave is done only with all that is in it, and before it, healthy and in its turn': (input, { e }) => {
      const { nodes } = input.desired.graph
      const wave = lastOfCompletedWaves(input.desired.graph, e, [0, 2, 3])
      if (wave === undefined) return
      // Of objects in no wave a weight of Helm is none, and then all are in wave 0.
      const isWaved = nodes.some((x) => x.type === 'barrier' && x.id.includes('wave'))
      for (const [n, node] of nodes.entries()) {
        if (node.type !== 'object' && node.type !== 'hook') continue
        const isBefore = node.phase === 'PreSync' || (isWaved ? node.wave : 0) < wave
        if (node.phase === 'PostSync' || !isBefore || node.options.mode === 'Ignore') continue
        const s = e.states[n]!
        const isWell = s.type === 'applied' && s.health.state === 'Healthy'
        expect([node.id, isWell || isPassed(s), e.unmet.has(n)]).toEqual([node.id, true, false])
      }
    },
    'it is complete only with everything healthy': ({ health }, { e }) => {
      const isWell = e.states.every(
        (s) => isPassed(s) || (s.type === 'applied' && s.health.state === 'Healthy'),
      )
      // Other profiles are content with a Job that runs, behind which all is there already.
      const unmet = health.profile === 'Lockstep' ? e.unmet.size : 0
      if (e.complete) expect([isWell, e.ready, unmet]).toEqual([true, [], 0])
    },
    'what waits for a Job is not let go by one that has not completed, in any profile': (input, { e }) => {
      const { graph, objects } = input.desired
      for (const [to, needs] of graph.needs.entries())
        for (const { from, ask } of needs) {
          const job = objects[from]
          if (ask !== 'Complete' || job?.ref.kind !== 'Job' || e.unmet.has(to)) continue
          const live = input.live(job)
          const conditions = live === 'unknown' ? undefined : at(live?.object, 'status', 'conditions')
          expect(conditions).toContainEqual(expect.objectContaining({ type: 'Complete', status: 'True' }))
        }
    },
    'a condition that holds something up is not met, and says what it is about': (_, { e }) => {
      for (const n of e.holding) expect(e.states[n]).toMatchObject({ type: 'wait', met: false })
      for (const s of e.states)
        if (s.type === 'wait' && !s.met)
          expect(s.blocker.on).toEqual([
            expect.objectContaining({
              kind: 'Object',
              name: 'out',
              object: expect.objectContaining({
                kind: expect.stringMatching(/^(Pod|PersistentVolumeClaim)$/),
              }),
            }),
          ])
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
