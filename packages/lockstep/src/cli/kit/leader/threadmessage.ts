/** What the controller and the thread that keeps its Lease tell each other. */
import type { Endpoint } from '@lockstep/kube/env'
import type { LeaseTimes, TermEnd } from '@lockstep/kube/leaderelection'
import type { LogLevel } from '../index.ts'

export interface Candidacy {
  readonly endpoint: Endpoint
  /** Of the hub, for messages. */
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  readonly identity: string
  readonly times: LeaseTimes
  readonly level: LogLevel
}

export interface ThreadInput extends Candidacy {
  /** Of the `SharedTerm`. */
  readonly memory: SharedArrayBuffer
}

/** The controller posts one thing only: that it stops. */
export type ThreadMessage =
  | { readonly type: 'leads'; readonly generation: number }
  | { readonly type: 'ended'; readonly end: TermEnd }
