/** What a process remembers of one module between two looks at it. */
import type { UsedConsents } from './holdstatus.ts'
import { emptyRollout, type RolloutMemory } from './schedule.ts'
import type { Held } from '../runtime/statusdebounce.ts'
import type { Settling } from '../publish/publisher.ts'

/** Losing it lengthens waits at most. */
export interface Memory {
  readonly settling: Settling
  readonly rollout: RolloutMemory
  readonly held: Held
  readonly used: UsedConsents
}

export const emptyMemory = (): Memory => ({
  settling: { token: '', settledAt: 0, since: 0, missingSince: undefined },
  rollout: emptyRollout(),
  held: { since: undefined },
  used: new Map(),
})
