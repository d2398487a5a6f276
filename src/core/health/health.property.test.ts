import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../test/arbitrary/decision.ts'
import { liveObjects } from '../../../test/arbitrary/manifests.ts'
import { healthOf, waitingReason } from './health.ts'

const STATES = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown']
const NOW = Date.UTC(2026, 0, 1, 0, 0, 10)

describe('health, whatever an object says of itself', () => {
  it('is one of the states, with a text; whatever goes, or was not looked at, is not healthy', () => {
    decidesAlike(
      fc.tuple(liveObjects, fc.constantFrom(NOW, NOW + 60_000, 0)),
      ([o, now]) => healthOf(o, now),
      ([o], health) => {
        expect(STATES).toContain(health.state)
        expect(typeof health.message).toBe('string')
        const { deletionTimestamp, generation } = o.metadata
        const observed = (o.status as { observedGeneration?: unknown } | null | undefined)?.observedGeneration
        const isBehind = generation !== undefined && typeof observed === 'number' && observed !== generation
        if (deletionTimestamp !== undefined || isBehind) expect(health.state).toBe('Progressing')
      },
    )
  })

  it('what a container waits for is a text, or nothing', () => {
    decidesAlike(liveObjects, waitingReason, (_, reason) => {
      if (reason !== undefined) expect(reason).toMatch(/^(CrashLoopBackOff: back-off|x)/)
    })
  })
})
