/** The key for digests over secrets: `lockstep-system/lockstep-hmac`. Without it a plain hash would let people guess short secrets. */
import { namespaceKind, secretKind } from '../api/kinds/foreign.ts'
import { MANAGER, SYSTEM_NAMESPACE } from '../api/labels.ts'
import type { Env } from '../env/env.ts'
import { err, ok, type Result } from '../env/result.ts'
import type { KubeClient } from '../kube/client.ts'
import { kubeErrorText } from '../kube/error.ts'
import { base64ToBytes, bytesToBase64, type DigestKey } from '../object/object.ts'
import { fault, type SourceFailure } from './failure.ts'

const NAME = 'lockstep-hmac'

/** Reads the key, or makes it where there is none yet. Two controllers at once: the first create wins, the other reads it. */
export async function loadDigestKey(env: Env, hub: KubeClient): Promise<Result<DigestKey, SourceFailure>> {
  for (let tries = 0; tries < 3; tries++) {
    const found = await hub.list(secretKind, {
      namespace: SYSTEM_NAMESPACE,
      fieldSelector: `metadata.name=${NAME}`,
      why: 'sync',
    })
    if (!found.ok) return err(fault('HubUnreachable', kubeErrorText(found.error), true))
    const secret = found.value.items[0]
    if (secret) return keyIn(secret.data ?? {})
    const made = await create(env, hub)
    if (!made.ok && made.error.kind !== 'AlreadyExists')
      return err(fault('Forbidden', kubeErrorText(made.error), true))
  }
  return err(fault('HubUnreachable', `Secret ${SYSTEM_NAMESPACE}/${NAME} cannot be read`, true))
}

async function create(env: Env, hub: KubeClient) {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }
  const there = await hub.create(namespaceKind, namespace, { why: 'publish', manager: MANAGER })
  if (!there.ok && there.error.kind !== 'AlreadyExists') return there
  const random = env.random.fork('hmac')
  const kid = [...random.bytes(4)].map((b) => b.toString(16).padStart(2, '0')).join('')
  const text = new TextEncoder().encode(kid)
  return hub.create(
    secretKind,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME, namespace: SYSTEM_NAMESPACE },
      type: 'Opaque',
      data: { current: bytesToBase64(text), [kid]: bytesToBase64(random.bytes(32)) },
    },
    { why: 'publish', manager: MANAGER },
  )
}

function keyIn(data: Readonly<Record<string, string>>): Result<DigestKey, SourceFailure> {
  const kid = data.current === undefined ? undefined : new TextDecoder().decode(base64ToBytes(data.current))
  const key = kid === undefined ? undefined : data[kid]
  if (kid === undefined || key === undefined) {
    return err(
      fault(
        'BundleCorrupt',
        `Secret ${SYSTEM_NAMESPACE}/${NAME}: key current names no key in it; restore it from a backup`,
      ),
    )
  }
  return ok({ kid, key: base64ToBytes(key) })
}
