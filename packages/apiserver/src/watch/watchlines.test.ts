import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const CMS = '/api/v1/namespaces/default/configmaps'
const MERGE = 'application/merge-patch+json'
const cm = (name: string, labels?: object) => ({ metadata: { name, labels }, data: { a: '1' } })
const shown = (events: readonly { type: string; object: { metadata: { name?: string } } }[]) =>
  events.map((e) => `${e.type} ${e.object.metadata.name ?? ''}`.trim())

describe('a watch', () => {
  it('without a version begins with all there is', async () => {
    const { call, watch } = testCluster()
    await call('POST', CMS, cm('b'))
    await call('POST', CMS, cm('a'))
    expect(shown(await watch(`${CMS}?watch=true`).take(2))).toEqual(['ADDED a', 'ADDED b'])
  })

  it('under a selector tells who enters and who leaves', async () => {
    const { call, watch } = testCluster()
    const w = watch(`${CMS}?watch=true&labelSelector=on%3Dyes`)
    await call('POST', CMS, cm('a'))
    await call('PATCH', `${CMS}/a`, { metadata: { labels: { on: 'yes' } } }, MERGE)
    await call('PATCH', `${CMS}/a`, { data: { a: '2' } }, MERGE)
    const left = await call('PATCH', `${CMS}/a`, { metadata: { labels: { on: 'no' } } }, MERGE)
    await call('DELETE', `${CMS}/a`)
    const events = await w.take(3)
    expect(shown(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    // The last content that matched, under the version of the write that took it away.
    expect(events[2]!.object.metadata).toMatchObject({
      labels: { on: 'yes' },
      resourceVersion: left.body.metadata.resourceVersion,
    })
  })

  it('sees only its namespace, or all of them', async () => {
    const { call, watch } = testCluster()
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'x' } })
    const [one, all] = [watch(`${CMS}?watch=true`), watch('/api/v1/configmaps?watch=true')]
    await call('POST', '/api/v1/namespaces/x/configmaps', cm('in-x'))
    await call('POST', CMS, cm('in-default'))
    expect(shown(await all.take(2))).toEqual(['ADDED in-x', 'ADDED in-default'])
    expect(shown(await one.take(1))).toEqual(['ADDED in-default'])
  })

  it('from a version that is too old is one ERROR event with a 410', async () => {
    const { watch } = testCluster()
    const w = watch(`${CMS}?watch=true&resourceVersion=1`)
    const [event] = await w.take(1)
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    await w.done
  })

  it('ends cleanly at its time, a bookmark before', async () => {
    const { env, watch } = testCluster()
    const w = watch(`${CMS}?watch=true&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=90`)
    await env.clock.run(() => w.state.ended)
    expect(shown(w.got)).toEqual(['BOOKMARK', 'BOOKMARK'])
    expect(env.clock.steady()).toBe(90_000)
  })

  it('with sendInitialEvents says where they end', async () => {
    const { call, watch } = testCluster()
    await call('POST', CMS, cm('a'))
    const query =
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const [added, end] = await watch(`${CMS}?${query}`).take(2)
    expect(added!.type).toBe('ADDED')
    expect(end).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    })
  })

  it('leaves nothing behind when its reader goes', async () => {
    const { env, watch } = testCluster()
    const w = watch(`${CMS}?watch=true`)
    await w.response
    await new Promise((resolve) => setImmediate(resolve))
    w.stop()
    await w.done
    expect(env.clock.pending).toBe(0)
  })
})

describe('a reader that does not read', () => {
  it('is cut off after 1,000 events and delays nobody', async () => {
    const { server, call, watch } = testCluster()
    const stuck = await server.handle({
      method: 'GET',
      url: `${CMS}?watch=true`,
      headers: {},
      signal: new AbortController().signal,
      body: async () => ({ ok: true, value: new Uint8Array() }),
    })
    const lines = (stuck.body as AsyncIterable<string>)[Symbol.asyncIterator]()
    const first = lines.next()
    const reader = watch(`${CMS}?watch=true`)
    for (let i = 0; i < 1_100; i++) await call('POST', CMS, cm(`c${i}`))
    await reader.take(1_100)
    await first
    expect((await lines.next()).done).toBe(true)
  })
})
