/** Progress of each Module with its spec and inputs: whether it may still publish an earlier change. */
import type { Clock } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { findRevisionRecord, type HubCaches, type RevisionRecord } from '../cache/index.ts'
import { isSameContent } from './publishdecision.ts'

/** Milliseconds after which a spec or an input that is neither published nor refused counts no longer. */
const MOST_MS = 10 * 60_000

interface Progress {
  /** `clock.steady()` since when it is unsettled. */
  since: number | undefined
  /** A change is published soon: once its inputs have stood still, or the hub stores it. */
  isSettling: boolean
}

/** Progress of a publication. */
interface PublishProgress {
  readonly settlesInMs?: number
  readonly isUnstored?: boolean
}

export class SourceProgress {
  private readonly clock: Pick<Clock, 'steady'>
  private readonly modules = new Map<string, Progress>()

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock
  }

  /** After each reconcile of spec and inputs. */
  note(ref: ModuleRef, { settlesInMs, isUnstored }: PublishProgress): void {
    this.of(ref).isSettling = settlesInMs !== undefined || isUnstored === true
  }

  forget(ref: ModuleRef): void {
    this.modules.delete(moduleId(ref))
  }

  /**
   * True for at most ten minutes, while spec or inputs of a Module have changed and are neither published nor refused, or while it has
   * not processed a commit that another Module of the same repository and ref has published.
   */
  isUnsettled(
    hub: HubCaches,
    ref: ModuleRef,
    module: Stored<Module>,
    beside: RevisionRecord | undefined,
  ): boolean {
    const progress = this.of(ref)
    const isBehind = this.isPending(hub, ref, module) || this.lacksCommit(hub, ref, module, beside)
    if (!isBehind) {
      progress.since = undefined
      return false
    }
    progress.since ??= this.clock.steady()
    return this.clock.steady() - progress.since < MOST_MS
  }

  private isPending(hub: HubCaches, ref: ModuleRef, module: Stored<Module>): boolean {
    const { status, metadata } = module
    if (this.of(ref).isSettling || status?.observedGeneration !== metadata.generation) return true
    const isRefused = status?.conditions?.some((c) => c.type === 'Stalled' && c.status === 'True') === true
    const current = findRevisionRecord(hub, ref, status?.currentRevision)
    return !isRefused && !(current && isSameContent(module, current))
  }

  /** A release is frozen: it publishes no other commit. */
  private lacksCommit(
    hub: HubCaches,
    ref: ModuleRef,
    module: Stored<Module>,
    beside: RevisionRecord | undefined,
  ): boolean {
    const [own, other] = [module.spec.source.git, beside?.spec.source.git]
    if (!own || !other || own.url !== other.url || JSON.stringify(own.ref) !== JSON.stringify(other.ref))
      return false
    const current = findRevisionRecord(hub, ref, module.status?.currentRevision)
    const isFrozen = module.spec.release !== undefined && module.spec.release === current?.release
    if (isFrozen || (current && current.publishedAt > beside!.publishedAt)) return false
    return current?.sourceRevision !== beside!.sourceRevision
  }

  private of(ref: ModuleRef): Progress {
    const id = moduleId(ref)
    const known = this.modules.get(id) ?? { since: undefined, isSettling: false }
    this.modules.set(id, known)
    return known
  }
}
