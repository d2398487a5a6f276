/**
 * Deletions of a kind or a Namespace, which delete its Modules. One request would empty many clusters, so it needs a
 * confirmation (`lockstep.dev/confirm-deletion`).
 */
import type { RequestError } from '@lockstep/kube/client'
import { type Env, ok, type Result } from '@lockstep/kube/env'
import { bootstrapModuleKind, moduleKind } from '../../../api/kinds/index.ts'
import { CONFIRM_DELETION_ANNOTATION } from '../../../api/labels.ts'
import { type RecordClient, type RecordKind, records } from '../../../api/records.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'

/** An object whose deletion deletes Modules. */
export interface Termination {
  readonly kind: 'CustomResourceDefinition' | 'Namespace'
  readonly name: string
  readonly uid: string
  readonly isConfirmed: boolean
}

/** Milliseconds after which an unconfirmed deletion is read again: no event reports the confirmation. */
export const CONFIRMED_AGAIN_MS = 10_000

interface Read {
  /** Steady milliseconds at which it was sent. */
  readonly sentMs: number
  readonly answer: Promise<Result<Termination | undefined, RequestError>>
}

export class Terminations {
  private readonly env: Pick<Env, 'clock'>
  private readonly own: Pick<RecordClient, 'get'>
  private readonly reads = new Map<string, Read>()
  /** Reads that are sent when the one before has ended: a deletion of many Modules needs few. */
  private readonly queued = new Map<string, Read['answer']>()

  constructor(env: Pick<Env, 'clock'>, own: Pick<RecordClient, 'get'>) {
    this.env = env
    this.own = own
  }

  /**
   * Deletions that delete a Module. They precede the deletion of the Module, so a read sent after `seenMs` (steady) is recent
   * enough. All Modules share the reads.
   */
  async of(ref: ModuleRef, seenMs: number): Promise<Result<readonly Termination[], RequestError>> {
    const { plural, group } = ref.kind === 'BootstrapModule' ? bootstrapModuleKind : moduleKind
    const found = await Promise.all([
      this.read(records.definition, 'CustomResourceDefinition', `${plural}.${group}`, seenMs),
      this.read(records.namespace, 'Namespace', ref.namespace, seenMs),
    ])
    const failed = found.find((f) => !f.ok)
    if (failed && !failed.ok) return failed
    return ok(found.flatMap((f) => (f.ok && f.value ? [f.value] : [])))
  }

  private read(kind: RecordKind, name: Termination['kind'], key: string, seenMs: number): Read['answer'] {
    const id = `${name}/${key}`
    const known = this.reads.get(id)
    const oldest = Math.max(seenMs, this.env.clock.steady() - CONFIRMED_AGAIN_MS / 2)
    if (known && known.sentMs >= oldest) return known.answer
    const send = async (): Read['answer'] => {
      await known?.answer
      this.queued.delete(id)
      const answer = this.send(kind, name, key)
      this.reads.set(id, { sentMs: this.env.clock.steady(), answer })
      return answer
    }
    const queued = this.queued.get(id) ?? send()
    this.queued.set(id, queued)
    return queued
  }

  private async send(kind: RecordKind, name: Termination['kind'], key: string): Read['answer'] {
    const found = await this.own.get(kind, { name: key }, { purpose: 'reread' })
    if (!found.ok) return found.error.kind === 'NotFound' ? ok(undefined) : found
    const { uid, deletionTimestamp, annotations } = found.value.metadata
    if (deletionTimestamp === undefined) return ok(undefined)
    return ok({ kind: name, name: key, uid, isConfirmed: annotations?.[CONFIRM_DELETION_ANNOTATION] === uid })
  }
}
