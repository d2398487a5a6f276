/** What a process remembers of one module between two looks at it. */

import type { SourceDebounce } from '../publish/index.ts'
import type { UsedApprovals } from './holdstatus.ts'
import { emptyRollout, type RolloutMemory } from './schedule.ts'

/** Losing it lengthens waits at most. */
export interface ModuleMemory {
  readonly settling: SourceDebounce
  readonly rollout: RolloutMemory
  readonly used: UsedApprovals
}

export const emptyModuleMemory = (): ModuleMemory => ({
  settling: { token: '', settledAt: 0, since: 0, missingSince: undefined, hasFailed: false },
  rollout: emptyRollout(),
  used: new Map(),
})
