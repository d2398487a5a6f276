/**
 * What events have said of targets that the hub cannot reach (`revisionsFrom: TargetsAndEvents`). It counts for a while, and not beside anything
 * that was heard of the target itself since it happened. In memory: who leads next is told anew, or reads.
 */

import type { Clock } from '@lockstep/kube/env'
import { type HeardRevision, type TargetState, targetObjectRef } from '../../decisions/promotion/index.ts'

/** In milliseconds. */
const COUNTS_MS = 600_000
/** Events have whole seconds. */
const EVENT_PRECISION_MS = 1000

interface ReportedRevision extends HeardRevision {
  /** By the steady clock: when it came. */
  readonly cameMs: number
}

/** When something was heard of a target by its own watch, by the steady clock; undefined: never. */
type ObservedAtMs = number | undefined

/** The object that carries the revision of a target. */
type ReportedTarget = Pick<HeardRevision, 'appRef' | 'namespace' | 'cluster'>

const targetKey = ({ appRef: { apiVersion, kind, name }, namespace, cluster }: ReportedTarget): string =>
  `${apiVersion} ${kind} ${name} ${namespace} ${cluster ?? ''}`

export class ReportedRevisions {
  private readonly clock: Pick<Clock, 'steady'>
  /** By pipeline, then by target. */
  private readonly heard = new Map<string, Map<string, ReportedRevision>>()

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock
  }

  /** Of a target that cannot be read now. `nowMs`: the hub's time. False: it is older than what is known. */
  note(pipeline: string, said: HeardRevision, targetHeardAt: ObservedAtMs, nowMs: number): boolean {
    const cameMs = this.clock.steady()
    const knownMs = targetHeardAt === undefined ? 0 : nowMs - (cameMs - targetHeardAt)
    const targets = this.heard.get(pipeline) ?? new Map<string, ReportedRevision>()
    const before = targets.get(targetKey(said))
    if (said.atMs + EVENT_PRECISION_MS < knownMs || said.atMs < (before?.atMs ?? 0)) return false
    this.heard.set(pipeline, targets.set(targetKey(said), { ...said, cameMs }))
    return true
  }

  /** Ready at what was said; undefined: nothing that counts was. */
  levelOf(pipeline: string, target: ReportedTarget, targetHeardAt: ObservedAtMs): TargetState | undefined {
    const said = this.heard.get(pipeline)?.get(targetKey(target))
    if (!said || said.cameMs + COUNTS_MS <= this.clock.steady()) return undefined
    if (targetHeardAt !== undefined && targetHeardAt > said.cameMs) return undefined
    const { namespace, cluster, revision } = said
    return {
      namespace,
      cluster,
      ref: targetObjectRef(target.appRef, target),
      state: 'Ready',
      revision,
      release: undefined,
      blocker: undefined,
    }
  }

  /** Until something that was said of its targets does not count any more; undefined: nothing does. */
  endsInMs(pipeline: string): number | undefined {
    const now = this.clock.steady()
    const ends = [...(this.heard.get(pipeline)?.values() ?? [])]
      .map(({ cameMs }) => cameMs + COUNTS_MS - now)
      .filter((ms) => ms > 0)
    return ends.length === 0 ? undefined : Math.min(...ends)
  }

  forget(pipeline: string): void {
    this.heard.delete(pipeline)
  }
}
