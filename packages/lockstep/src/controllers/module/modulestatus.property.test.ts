import { expect, it } from 'vitest'
import { moduleStatusInputs } from '../../../../../test/arbitrary/arbitrarystatus.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { moduleStatus as shape } from '../../api/kinds/module/status.ts'
import { moduleStatus } from './modulestatus.ts'

it('a module has a status, whatever there is to sum up', () => {
  decidesAlike(moduleStatusInputs, moduleStatus, {
    'that fits its schema': (_, status) => {
      expect(shape.safeParse(status).error?.issues).toBeUndefined()
    },
    'that says one of ready, reconciling and stalled': (input, status) => {
      const isTrue = status.conditions!.filter((c) => c.status === 'True').map((c) => c.type)
      const said = isTrue.filter((t) => ['Ready', 'Stalled', 'Reconciling'].includes(t))
      const { counters, phase } = input.rollout
      const isMeant = input.goal?.cause === 'Publish' || input.goal?.cause === 'Undo'
      const isAllowed = phase === 'Idle' && input.module.spec.targets?.allowEmpty === true
      const isDone = phase === 'Complete' && counters.ready + counters.pinned === counters.total
      const isReady = isMeant && (counters.total === 0 ? isAllowed : isDone)
      expect(said[0] === 'Ready').toBe(isReady && !input.source && input.current !== undefined)
      const isEmpty = status.blockers![0]?.reason === 'SelectsNothing' && said[0] !== 'Ready'
      expect(said).toHaveLength(isEmpty ? 0 : 1)
    },
    'that is the same once it is written, however late': (input, status) => {
      const later = { ...input, module: { ...input.module, status }, now: '2026-06-01T00:00:00Z' }
      expect(moduleStatus(later)).toEqual(status)
    },
  })
})
