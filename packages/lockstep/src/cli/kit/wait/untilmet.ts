/** Follows one object by a watch until it is what one waits for. */

import { startInformer } from '@lockstep/kube/cache'
import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { Cancel } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { OwnKind } from '../../../api/kinds/index.ts'
import type { HubConnection } from '../hub/index.ts'
import { type CommandContext, startInterval } from '../index.ts'

export interface ObjectWait {
  readonly kind: OwnKind
  readonly name: string
  /** 0: the state is read once. */
  readonly timeoutMs: number
  /** What is still lacking; undefined: it is there. An object that is gone is not asked about. */
  lacks(o: Stored): string | undefined
  /** It has ended otherwise: why. */
  failure?(o: Stored): string | undefined
  /**
   * Why it ends only with a change by a user, who may be about to make it: a failure after `graceMs` milliseconds, or at the
   * timeout.
   */
  hopeless?(o: Stored): HopelessWait | undefined
  /** Called with what it lacks, whenever that becomes something else. */
  news?(lacks: string): void
}

export interface HopelessWait {
  readonly text: string
  readonly graceMs: number
}

export type WaitEnd =
  | { readonly how: 'met'; readonly object: Stored }
  | { readonly how: 'failed'; readonly text: string }
  /** It was never there. */
  | { readonly how: 'absent' }
  /** It was there, or another one of its name. */
  | { readonly how: 'gone' }
  | { readonly how: 'late'; readonly lacks: string }
  | { readonly how: 'refused'; readonly error: RequestError }
  | { readonly how: 'interrupted' }

/** How it has ended, or what it still lacks. */
function judge(w: ObjectWait, o: Stored | undefined, uid: string | undefined): WaitEnd | string {
  if (!o) return { how: uid === undefined ? 'absent' : 'gone' }
  if (uid !== undefined && o.metadata.uid !== uid) return { how: 'gone' }
  const failure = w.failure?.(o)
  if (failure !== undefined) return { how: 'failed', text: failure }
  return w.lacks(o) ?? { how: 'met', object: o }
}

/** A watch that has died without a word is begun again. */
const TEND_MS = 5000

export function untilMet(c: CommandContext, hub: HubConnection, w: ObjectWait): Promise<WaitEnd> {
  return new Promise((resolve) => {
    const after = (ms: number, fn: () => void): Cancel => c.env.clock.at(c.env.clock.steady() + ms, fn)
    let uid: string | undefined
    let lacks = 'the server has not answered'
    let problem: RequestError | undefined
    let hopeless: (HopelessWait & { readonly cancel: Cancel }) | undefined
    const judgeHope = (found: HopelessWait | undefined): void => {
      if (found && found.graceMs === hopeless?.graceMs) return
      hopeless?.cancel()
      hopeless = found && {
        ...found,
        cancel: after(found.graceMs, () => end({ how: 'failed', text: found.text })),
      }
    }
    const { store, relist, stop } = startInformer(c.env, hub.client, {
      kind: w.kind,
      namespace: hub.namespace,
      fieldSelector: `metadata.name=${w.name}`,
      project: (o) => o,
      onHealth(error) {
        problem = error
        if (error && store.freshness.state === 'Syncing') end({ how: 'refused', error })
      },
    })
    const look = (): void => {
      const [o] = store.all()
      const ended = judge(w, o, uid)
      uid ??= o?.metadata.uid
      if (typeof ended !== 'string') {
        end(ended)
        return
      }
      if (ended !== lacks) w.news?.(ended)
      lacks = ended
      judgeHope(o && w.hopeless?.(o))
      if (w.timeoutMs === 0) timeUp()
    }
    const interrupt = (): void => end({ how: 'interrupted' })
    const trouble = (): string => (problem ? `; ${requestErrorText(problem)}` : '')
    const timeUp = (): void =>
      end(hopeless ? { how: 'failed', text: hopeless.text } : { how: 'late', lacks: `${lacks}${trouble()}` })
    const cancelTimeout = w.timeoutMs === 0 ? () => {} : after(w.timeoutMs, timeUp)
    const stopTending = startInterval(c.env.clock, TEND_MS, () => {
      if (store.freshness.state === 'Stale') relist()
    })
    function end(ended: WaitEnd): void {
      cancelTimeout()
      judgeHope(undefined)
      stopTending()
      stop()
      c.signal.removeEventListener('abort', interrupt)
      resolve(ended)
    }
    c.signal.addEventListener('abort', interrupt, { once: true })
    store.onSynced(() => {
      look()
      store.subscribe(look)
    })
  })
}
