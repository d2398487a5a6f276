/** When the credential of a cluster ends, and who renews it: as its object says. Pure. */
import { humanDuration, parseTimestampMs, timestamp } from '@lockstep/kube/object'
import { RENEW_ANNOTATION } from '../../../api/labels.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { credentialLife, isEndless, tokenAccount } from '../../../fleet/credentials/index.ts'

export interface CredentialEndRow {
  /** A time, `never`, or `unknown`. */
  readonly expires: string
  readonly renewal: 'automatic' | 'provider' | 'none'
}

export function credentialEnd({ kind, annotations, access }: ClusterView): CredentialEndRow {
  if (access.type !== 'Source') return { expires: 'unknown', renewal: 'none' }
  const { source } = access
  if (source.type === 'Exec') return { expires: 'unknown', renewal: 'provider' }
  const life = credentialLife(source.endpoint)
  const canRenew = kind === 'Secret' && annotations[RENEW_ANNOTATION] !== undefined
  return {
    expires: life ? timestamp(life.endsAt) : isEndless(source.endpoint) ? 'never' : 'unknown',
    renewal: canRenew && life && tokenAccount(source.endpoint) ? 'automatic' : 'none',
  }
}

/** `in 5d`, `expired 2h ago`; words as they are. */
export function expiresText(expires: string, nowMs: number): string {
  const at = parseTimestampMs(expires)
  if (at === undefined) return expires
  return at > nowMs ? `in ${humanDuration(at - nowMs)}` : `expired ${humanDuration(nowMs - at)} ago`
}
