/** What the controller and the thread that keeps its Lease tell each other. */
import type { LeaseTimes, TermEnd } from '@lockstep/kube/leaderelection'
import type { CredentialSource } from '../../../fleet/credentials/index.ts'
import type { LogSettings } from '../index.ts'

export interface Candidacy {
  /** Where the thread reads the credential of the hub, by itself. */
  readonly source: CredentialSource
  /** Of the hub, for messages. */
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  readonly identity: string
  readonly times: LeaseTimes
  readonly log: LogSettings
  /** Trusted beside those of Node, in PEM. */
  readonly authorities: string
}

export interface ThreadInput extends Candidacy {
  /** Of the `SharedTerm`. */
  readonly memory: SharedArrayBuffer
}

/** The controller posts one thing only: that it stops. */
export type ThreadMessage =
  | { readonly type: 'leads'; readonly generation: number }
  | { readonly type: 'ended'; readonly end: TermEnd }
  /** The source names another hub. */
  | { readonly type: 'moved'; readonly problem: string }
