/** Architecture 5: whoever does not know whether a write happened looks before it acts again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CuttingProxy, cuttingProxy } from '../../../../test/kube/cuttingproxy.ts'
import { quiet } from '../../../../test/kube/subjects.ts'
import { type CommitRecord, createApiServer } from '../../../apiserver/src/server/index.ts'
import { configMap, failure, READ, value, WRITE } from '../client/client.cases.ts'
import { createHttpClient } from '../client/httpclient.ts'
import type { Listening } from '../env/net.ts'
import { createNodeEnv } from '../env/node/nodeenv.ts'
import { configMapKind } from '../kinds/types.ts'

const env = createNodeEnv(quiet)
const commits: CommitRecord[] = []
const api = createApiServer(env, { name: 'cut', onCommit: (c) => commits.push(c) })
let listening: Listening
let proxy: CuttingProxy

beforeAll(async () => {
  const started = await env.net.listen({ host: '127.0.0.1', port: 0 }, api.handle)
  if (!started.ok) throw new Error(started.error.detail)
  listening = started.value
  proxy = await cuttingProxy(listening.url)
})

afterAll(async () => {
  proxy.close()
  await listening.close()
})

const namespace = 'default'
const client = () => createHttpClient(env, 'cut', env.net.connect({ url: proxy.url }, 'operator'))

/** Creates one object through a wire that is cut; what came out is told by a read. */
async function createOnce(
  name: string,
  cut: { sent?: number; received?: number },
): Promise<'known' | 'maybe'> {
  proxy.cutAfter(cut)
  const first = client()
  const made = await first.create(configMapKind, configMap(namespace, name), WRITE)
  await first.close()
  if (made.ok) return 'known'
  const e = failure(made)
  expect(e.wrote).toBe('maybe')
  const second = client()
  const found = await second.get(configMapKind, { namespace, name }, { purpose: 'reread' })
  if (!found.ok) {
    expect(found.error.kind).toBe('NotFound')
    value(await second.create(configMapKind, configMap(namespace, name), WRITE))
  }
  await second.close()
  return 'maybe'
}

const creations = (name: string): number =>
  commits.filter(
    (c) => c.resource === 'configmaps' && c.key === `${namespace}/${name}` && c.verb === 'create',
  ).length

describe('a connection cut after the request was sent', () => {
  it('leaves a read to do, and never a second create, at 1,000 points of request and answer', async () => {
    expect(await createOnce('measure', {})).toBe('known')
    const { sent, received } = { ...proxy.last }
    const total = sent + received
    let unknown = 0
    for (let i = 0; i < 1000; i++) {
      const at = 1 + Math.floor((i * (total - 2)) / 1000)
      const cut = at < sent ? { sent: at } : { received: Math.max(1, at - sent) }
      if ((await createOnce(`cut-${i}`, cut)) === 'maybe') unknown++
      expect(creations(`cut-${i}`), `cut after ${JSON.stringify(cut)}`).toBe(1)
    }
    expect(unknown).toBeGreaterThan(900)
    const there = value(await client().list(configMapKind, { ...READ, namespace }))
    expect(there.items.filter((o) => o.metadata.name.startsWith('cut-'))).toHaveLength(1000)
  }, 120_000)

  it('a server that nobody can connect to was certainly not written to', async () => {
    const nobody = createHttpClient(env, 'nobody', env.net.connect({ url: 'http://127.0.0.1:1' }, 'operator'))
    const e = failure(await nobody.create(configMapKind, configMap(namespace, 'a'), WRITE))
    expect(e).toMatchObject({ kind: 'Unreachable', phase: 'connect', wrote: 'no' })
    await nobody.close()
  })
})
