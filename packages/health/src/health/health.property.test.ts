import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../test/arbitrary/decision.ts'
import { liveObjects } from '../../../../test/arbitrary/manifests.ts'
import { at } from '../../../kube/src/object/index.ts'
import { healthOf, waitingReason } from './health.ts'

const STATES = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown']
const NOW = Date.UTC(2026, 0, 1, 0, 0, 10)

it('health is told, whatever an object says of itself', () => {
  decidesAlike(
    fc.tuple(liveObjects, fc.constantFrom(NOW, NOW + 60_000, 0)),
    ([o, now]) => ({ health: healthOf(o, now), waits: waitingReason(o) }),
    {
      'as one of the states, with a text': (_, { health }) => {
        expect(STATES).toContain(health.state)
        expect(typeof health.message).toBe('string')
      },
      'what goes, or was not looked at since its last change, is not healthy': ([o], { health }) => {
        const { deletionTimestamp, generation } = o.metadata
        const observed = at(o, 'status', 'observedGeneration')
        const isBehind = generation !== undefined && typeof observed === 'number' && observed !== generation
        if (deletionTimestamp !== undefined || isBehind) expect(health.state).toBe('Progressing')
      },
      'what a container waits for is a text, or nothing': (_, { waits }) => {
        if (waits !== undefined) expect(waits).toMatch(/^CrashLoopBackOff: back-off$/)
      },
    },
  )
})
