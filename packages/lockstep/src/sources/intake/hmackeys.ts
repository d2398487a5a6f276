/**
 * The keys for digests over secrets: `lockstep-system/lockstep-hmac`. Without one a plain hash would let people guess short
 * secrets. A digest names its key, so that keys can be changed without a change of what they were used for.
 */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import {
  base64ToBytes,
  type Digest,
  type Digester,
  type DigestKey,
  deriveKey,
  keyedDigester,
  kidOf,
} from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

export const KEY_SECRET = 'lockstep-hmac'
const WHERE = `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET}`

export interface HmacKeys {
  /** What new digests are made with. */
  readonly current: DigestKey
  readonly byKid: ReadonlyMap<string, DigestKey>
}

/** Data of the Secret: `current` names one of its other keys. */
export function hmacKeysOf(secret: Secret): Result<HmacKeys, SourceFailure> {
  const { current: encoded, ...rest } = secret.data ?? {}
  const byKid = new Map(Object.entries(rest).map(([kid, key]) => [kid, { kid, key: base64ToBytes(key) }]))
  const kid = encoded === undefined ? '' : new TextDecoder().decode(base64ToBytes(encoded))
  const current = byKid.get(kid)
  return current
    ? ok({ current, byKid })
    : err(fault('BundleCorrupt', `${WHERE}: key current names no key in it; restore it from a backup`, true))
}

/** Whether the key that made a digest is there; plain ones need none. */
export function hasKeyOf(ring: HmacKeys | undefined, digest: Digest): boolean {
  const kid = kidOf(digest)
  return kid === undefined || ring?.byKid.has(kid) === true
}

const withoutBackup = ({ kind, namespace, name }: ModuleRef): string =>
  `without one, lockstep reconcile ${kind.toLowerCase()}/${name} -n ${namespace} --rebuild-digests`

/** Digests that are stored already, and where: what is still the same keeps them. */
export interface StoredDigests {
  /** For messages: `Inventory platform/m.web.c1`. */
  readonly where: string
  /** Whose they are. */
  readonly module: ModuleRef
  readonly digests: readonly Digest[]
}

/**
 * A digester for one place. A value whose digest is among the stored ones has that digest, whatever key made it; others get
 * one of the current key. So another key changes nothing by itself.
 */
export function digesterOf(
  ring: HmacKeys | undefined,
  info: string,
  stored: StoredDigests,
): Result<Digester, SourceFailure> {
  const kids = new Set(stored.digests.map(kidOf).filter((kid) => kid !== undefined))
  for (const kid of kids) {
    if (ring?.byKid.has(kid)) continue
    const text = `${stored.where} names key ${kid}, ${WHERE} ${ring ? 'lacks it' : 'does not exist'}; restore the Secret from a backup`
    return err(fault('HmacKeyMissing', `${text}, or ${withoutBackup(stored.module)}`, true))
  }
  if (!ring) {
    const text = `${WHERE} does not exist, but stored digests use its keys; restore it from a backup`
    return err(fault('HmacKeyMissing', `${text}, or ${withoutBackup(stored.module)}`, true))
  }
  kids.delete(ring.current.kid)
  const known = new Set(stored.digests)
  const older = [...kids].map((kid) => keyedDigester(deriveKey(ring.byKid.get(kid)!, info)))
  const current = keyedDigester(deriveKey(ring.current, info))
  return ok(
    (domain, value) =>
      older.map((digest) => digest(domain, value)).find((d) => known.has(d)) ?? current(domain, value),
  )
}
