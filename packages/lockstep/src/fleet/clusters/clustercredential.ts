/** The credential of one cluster: when it ends, and the connection that sends it. */
import type { Cancel, Connection, Env, Provenance } from '@lockstep/kube/env'
import { type CredentialLife, credentialLife } from '../credentials/credentialexpiry.ts'
import { expiringTimeMs, isRenewalOf } from '../credentials/renewaltime.ts'
import { connectSource, renewingConnection } from '../credentials/renewingconnection.ts'
import { ReplaceableCredential } from '../credentials/replaceablecredential.ts'
import type { ClusterAccess, ClusterView } from './cluster.ts'

/** The end of a credential, as far as it concerns people now. */
export interface CredentialEnd {
  readonly state: 'Expiring' | 'Expired'
  readonly of: CredentialLife['of']
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

export class ClusterCredential {
  /** Life of the values in the Secret; undefined: they do not say so, or a program renews them. */
  life: CredentialLife | undefined
  private readonly env: Pick<Env, 'clock' | 'net'>
  /** The state of its end is another one. */
  private readonly changed: () => void
  private access: ClusterAccess | undefined
  private sent: ReplaceableCredential | undefined
  private timer: Cancel | undefined

  constructor(env: Pick<Env, 'clock' | 'net'>, changed: () => void) {
    this.env = env
    this.changed = changed
  }

  /** Access that is missing changes nothing: the last credential counts until the server refuses it. */
  observe(access: ClusterAccess): void {
    if (access.type === 'Missing') return
    const { access: before } = this
    this.access = access
    // A credential is parsed once: labels of its object change, and each scrape reads its end.
    if (before?.type === 'Source' && access.type === 'Source' && before.version === access.version) return
    this.life =
      access.type === 'Source' && access.source.type === 'Static'
        ? credentialLife(access.source.endpoint)
        : undefined
    this.arm()
  }

  /** Undefined: no action is needed. */
  get end(): CredentialEnd | undefined {
    const { life } = this
    const now = this.env.clock.now()
    if (!life || now < expiringTimeMs(life)) return undefined
    const { of, endsAt } = life
    return { state: now < endsAt ? 'Expiring' : 'Expired', of, endsAt }
  }

  /** A connection that sends the present credential. */
  connect(env: Env, by: Provenance): Connection | undefined {
    const { access } = this
    if (access?.type !== 'Source') return undefined
    if (access.source.type !== 'Static') return connectSource(env, access.source, by)
    this.sent = new ReplaceableCredential(access.source.endpoint)
    return renewingConnection(env, this.sent, by)
  }

  /** Whether the open connection sends the new token from now on; false: only another connection can. */
  replace(after: ClusterView['access']): boolean {
    const before = this.access
    const areValues =
      before?.type === 'Source' &&
      before.source.type === 'Static' &&
      after.type === 'Source' &&
      after.source.type === 'Static'
    if (!areValues || !this.sent || !isRenewalOf(before.source.endpoint, after.source.endpoint)) return false
    this.sent.replace(after.source.endpoint)
    return true
  }

  stop(): void {
    this.timer?.()
  }

  /** At the next change of its end. The wall clock may have been set: it is read again then. */
  private arm(): void {
    this.timer?.()
    this.timer = undefined
    const { life } = this
    if (!life) return
    const { clock } = this.env
    const now = clock.now()
    const next = [expiringTimeMs(life), life.endsAt].find((t) => t > now)
    if (next === undefined) return
    this.timer = clock.at(clock.steady() + next - now, () => {
      this.arm()
      this.changed()
    })
  }
}
