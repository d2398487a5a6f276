/** As much as a bundle may hold, on a server with the limits of etcd. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import {
  base64ToBytes,
  canonicalJson,
  digestOf,
  type KubeObject,
  short10,
} from '../../packages/kube/src/object/index.ts'
import { type Bundle, bundleOf } from '../../packages/lockstep/src/sources/intake/bundlesecrets.ts'
import { BundleStore } from '../../packages/lockstep/src/sources/intake/bundlestore.ts'
import { quiet } from '../kube/subjects.ts'
import { endpointOf } from './realservers.ts'
import { realCluster } from './realsubject.ts'

const MiB = 1024 * 1024
const namespace = 'bundles'

/** Objects of a MiB that pack to less than half of that. */
const noisy = (count: number): Bundle =>
  bundleOf(
    Array.from(
      { length: count },
      (_, i): KubeObject => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${i}`, namespace },
        data: { noise: randomBytes(0.375 * MiB).toString('hex'), same: 'x'.repeat(0.25 * MiB) },
      }),
    ),
    false,
    digestOf,
  )

describe('a large bundle, on a real API server', () => {
  let client: KubeClient
  beforeAll(async () => {
    const env = createNodeEnv(quiet)
    client = createHttpClient(env, 'hub', env.net.connect(endpointOf(realCluster('hub')), 'operator'), 'test')
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    value(await client.create(namespaceKind, body, WRITE))
  })
  afterAll(() => client.close())

  const shardsOf = async ({ digest }: Bundle) => {
    const labelSelector = `lockstep.dev/bundle=${short10(digest)}`
    return value(await client.list(secretKind, { ...READ, namespace, labelSelector })).items
  }

  it('of 30 MiB is Secrets of at most 900 KiB each, and comes back as it was', async () => {
    const bundle = noisy(30)
    expect(canonicalJson(bundle.objects).length).toBeGreaterThan(30 * MiB)
    expect(await new BundleStore(client).put(namespace, bundle)).toEqual({ ok: true, value: undefined })
    const shards = await shardsOf(bundle)
    expect(shards.length).toBeGreaterThan(13)
    for (const s of shards) expect(base64ToBytes(s.data!.data!).length).toBeLessThanOrEqual(900 * 1024)
    const read = await new BundleStore(client).get(namespace, bundle.digest)
    expect(read.ok && canonicalJson(read.value.objects) === canonicalJson(bundle.objects)).toBe(true)
  })

  it('that would fill more than sixteen is refused, and nothing of it is stored', async () => {
    const bundle = noisy(36)
    expect(await new BundleStore(client).put(namespace, bundle)).toMatchObject({
      ok: false,
      error: {
        reason: 'BundleTooLarge',
        message: expect.stringMatching(/^1\d\.\d MiB gzipped, the limit is 14/),
      },
    })
    expect(await shardsOf(bundle)).toEqual([])
  })
})
