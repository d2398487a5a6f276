import { sha256Hex } from '../../packages/kube/src/object/index.ts'
import type { SimFleet } from '../fleet/simfleet.ts'

export interface RunResult {
  readonly seed: string
  readonly problems: readonly string[]
  readonly commits: number
  readonly tested: Readonly<Record<string, number>>
  /** SHA-256 of the whole trace: equal for equal seeds (I18). */
  readonly trace: string
}

export const traceOf = (fleet: SimFleet): Pick<RunResult, 'commits' | 'tested' | 'trace'> => ({
  commits: fleet.commits.length,
  tested: Object.fromEntries(fleet.oracles.verdicts().map((v) => [v.id, v.tested])),
  trace: sha256Hex(
    fleet.commits
      .map((c) => `${c.cluster} ${c.seq} ${c.verb} ${c.resource} ${c.key} ${c.resourceVersion} ${c.actor}`)
      .join('\n'),
  ),
})
