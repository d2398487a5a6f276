/** When the token of a cluster is renewed, and when people are warned: pure. Times in milliseconds since the epoch. */
import type { Endpoint } from '@lockstep/kube/env'
import { type JsonValue, jsonEqual, sha256Hex } from '@lockstep/kube/object'
import { type CredentialLife, tokenSubject } from './credentialexpiry.ts'

const DAY_MS = 24 * 3_600_000
/** A credential that ends within this time is expiring, whatever its life. */
const MOST_EXPIRING_MS = 7 * DAY_MS
/** Part of its life that is left when a short one is expiring: a renewal has failed for a while then. */
const EXPIRING_PART = 1 / 4
/** Part of the life after which a token is renewed, and by how much of that it varies between clusters. */
const RENEWED_PART = 2 / 3
const SPREAD = 0.1
/** Milliseconds between two attempts, and the part of the life that they may take of a short token. */
const MOST_RETRY_MS = 5 * 60_000
const RETRY_PART = 1 / 20
const LEAST_RETRY_MS = 10_000

export interface TokenAccount {
  readonly namespace: string
  readonly name: string
}

/** The ServiceAccount whose token an endpoint has. Undefined: nothing that an API server renews. */
export function tokenAccount(endpoint: Pick<Endpoint, 'headers'>): TokenAccount | undefined {
  const [, namespace, name] =
    /^system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})$/.exec(tokenSubject(endpoint) ?? '') ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

/** `system:serviceaccount:<namespace>:<name>`. */
export const accountSubject = ({ namespace, name }: TokenAccount): string =>
  `system:serviceaccount:${namespace}:${name}`

/** Two thirds of the life that the server granted, ±10 %: many clusters registered at once do not renew at once. */
export function renewalTime({ beganAt, endsAt }: CredentialLife, seed: string): number {
  if (beganAt === undefined) return endsAt - MOST_EXPIRING_MS
  const life = endsAt - beganAt
  const chance = Number.parseInt(sha256Hex(`${seed} ${endsAt}`).slice(0, 8), 16) / 0xffff_ffff
  return endsAt - life * (1 - RENEWED_PART * (1 + SPREAD * (2 * chance - 1)))
}

/** Milliseconds until a failed renewal is tried again. */
export function renewalRetryMs({ beganAt, endsAt }: CredentialLife): number {
  const life = beganAt === undefined ? 0 : endsAt - beganAt
  return Math.max(LEAST_RETRY_MS, Math.min(MOST_RETRY_MS, life * RETRY_PART))
}

/** From when on a credential counts as expiring: seven days before its end, and not before three quarters of its life. */
export function expiringTimeMs({ beganAt, endsAt }: CredentialLife): number {
  const part = beganAt === undefined ? MOST_EXPIRING_MS : (endsAt - beganAt) * EXPIRING_PART
  return endsAt - Math.min(MOST_EXPIRING_MS, part)
}

/** Another token of the same account for the same server: connections may continue with it. */
export function isRenewalOf(before: Endpoint, after: Endpoint): boolean {
  const subject = tokenSubject(after)
  const rest = ({ headers: _headers, ...endpoint }: Endpoint) => endpoint as unknown as JsonValue
  return subject !== undefined && subject === tokenSubject(before) && jsonEqual(rest(before), rest(after))
}
