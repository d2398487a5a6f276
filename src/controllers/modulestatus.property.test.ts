import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { moduleStatusInputs } from '../../test/arbitrary/status.ts'
import { moduleStatus as shape } from '../api/kinds/module.ts'
import { moduleStatus } from './modulestatus.ts'

describe('the status of a module, whatever there is to sum up', () => {
  it('fits its schema, says one of ready, reconciling and stalled, and is the same again later', () => {
    decidesAlike(moduleStatusInputs, moduleStatus, (input, status) => {
      expect(shape.safeParse(status).error?.issues).toBeUndefined()
      const isTrue = status.conditions!.filter((c) => c.status === 'True').map((c) => c.type)
      const said = isTrue.filter((t) => ['Ready', 'Stalled', 'Reconciling'].includes(t))
      expect(said).toHaveLength(1)
      const { counters, phase } = input.rollout
      const isReady = phase === 'Complete' && counters.ready === counters.total
      expect(said[0] === 'Ready').toBe(isReady && !input.source && input.current !== undefined)
      const later = { ...input, module: { ...input.module, status }, now: '2026-06-01T00:00:00Z' }
      expect(moduleStatus(later)).toEqual(status)
    })
  })
})
