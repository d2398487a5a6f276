/** What a process remembers of one module between two looks at it. */
import type { Clocks } from '../core/rollout/types.ts'
import type { Held } from './pace.ts'
import type { Settling } from './publisher.ts'

/** Losing it lengthens waits at most. */
export interface Memory {
  readonly settling: Settling
  decidedAt: number | undefined
  clocks: Clocks
  soaks: ReadonlyMap<string, number>
  readonly held: Held
  /** Clusters that leave, and of which that was told. */
  readonly leaving: Set<string>
}

export const emptyMemory = (): Memory => ({
  settling: { token: '', settledAt: 0, since: 0, missingSince: undefined },
  decidedAt: undefined,
  clocks: new Map(),
  soaks: new Map(),
  held: { since: undefined },
  leaving: new Set(),
})
