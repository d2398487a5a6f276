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
import { KEY_SECRET, SYSTEM_NAMESPACE } from '../../api/labels.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

const WHERE = `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET}`
const KEY_REF: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: KEY_SECRET,
  namespace: SYSTEM_NAMESPACE,
  object: { apiVersion: 'v1', kind: 'Secret' },
}

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
    : err(fault('BundleCorrupt', { place: WHERE, because: 'Key' }, true, [KEY_REF]))
}

/** Whether the key that made a digest is there; plain ones need none. */
export function hasKeyOf(ring: HmacKeys | undefined, digest: Digest): boolean {
  const kid = kidOf(digest)
  return kid === undefined || ring?.byKid.has(kid) === true
}

function keyMissing(
  { where, module: { kind, namespace, name } }: StoredDigests,
  because: 'NoSecret' | 'NoKey',
  key?: string,
): SourceFailure {
  const command = `lockstep reconcile ${kind.toLowerCase()}/${name} -n ${namespace} --rebuild-digests`
  return fault('HmacKeyMissing', { secret: WHERE, because, key, stored: where, command }, true, [KEY_REF])
}

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
 * one of the current key. So another key changes nothing by itself. `isLost`: the controller creates no key.
 */
export function digesterOf(
  ring: HmacKeys | undefined,
  info: string,
  stored: StoredDigests,
  isLost = false,
): Result<Digester, SourceFailure> {
  const kids = new Set(stored.digests.map(kidOf).filter((kid) => kid !== undefined))
  for (const kid of kids) {
    if (ring?.byKid.has(kid)) continue
    return err(keyMissing(stored, ring ? 'NoKey' : 'NoSecret', kid))
  }
  if (!ring && isLost) return err(keyMissing({ ...stored, where: 'another Module' }, 'NoSecret'))
  if (!ring) return err(fault('Fetching', { state: 'Key', place: WHERE }, true, [KEY_REF]))
  kids.delete(ring.current.kid)
  const known = new Set(stored.digests)
  const older = [...kids].map((kid) => keyedDigester(deriveKey(ring.byKid.get(kid)!, info)))
  const current = keyedDigester(deriveKey(ring.current, info))
  return ok(
    (domain, value) =>
      older.map((digest) => digest(domain, value)).find((d) => known.has(d)) ?? current(domain, value),
  )
}
