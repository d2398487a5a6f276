import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const PATH = '/apis/apps/v1/namespaces/default/deployments'
const D = `${PATH}/d`
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { a: 'b' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'c:1' }] } },
  },
}

async function settled() {
  const cluster = testCluster()
  await cluster.apply(D, deployment, 'me')
  const before = await cluster.call('GET', D)
  // Later, so that a time that moves is seen.
  await cluster.later(5_000)
  cluster.commits.length = 0
  return { ...cluster, before }
}

describe('a write that changes nothing', () => {
  const writes: ReadonlyArray<
    readonly [string, (c: Awaited<ReturnType<typeof settled>>) => Promise<{ status: number; body: unknown }>]
  > = [
    ['PUT', (c) => c.call('PUT', `${D}?fieldManager=other`, c.before.body)],
    [
      'a merge patch',
      (c) =>
        c.call('PATCH', `${D}?fieldManager=other`, { spec: { replicas: 2 } }, 'application/merge-patch+json'),
    ],
    [
      'a JSON patch',
      (c) =>
        c.call(
          'PATCH',
          D,
          [{ op: 'replace', path: '/spec/replicas', value: 2 }],
          'application/json-patch+json',
        ),
    ],
    [
      'a strategic merge patch',
      (c) =>
        c.call(
          'PATCH',
          D,
          { spec: { template: { spec: { containers: [{ name: 'c', image: 'c:1' }] } } } },
          'application/strategic-merge-patch+json',
        ),
    ],
    ['an apply', (c) => c.apply(D, deployment, 'me')],
  ]
  it.each(writes)('by %s keeps the version and all times, and makes no event', async (_, write) => {
    const c = await settled()
    const answer = await write(c)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(c.before.body)
    expect(c.commits).toEqual([])
    expect((await c.call('GET', D)).body).toEqual(c.before.body)
  })
})

describe('apply', () => {
  const CM = '/api/v1/namespaces/default/configmaps/a'
  const cm = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data })

  it('creates what is absent: 201', async () => {
    const { apply } = testCluster()
    expect((await apply(CM, cm({ a: '1' }), 'me')).status).toBe(201)
  })

  it('takes away what its manager no longer names, and leaves what others name too', async () => {
    const { apply } = testCluster()
    await apply(CM, cm({ mine: '1', ours: '2' }), 'me')
    await apply(CM, cm({ ours: '2', theirs: '3' }), 'they')
    expect((await apply(CM, cm({}), 'me')).body.data).toEqual({ ours: '2', theirs: '3' })
  })

  it('of nothing gives up everything', async () => {
    const { apply } = testCluster()
    await apply(CM, cm({ a: '1' }), 'me')
    const left = await apply(CM, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, 'me')
    expect(left.body.data).toBeUndefined()
    expect(left.body.metadata.managedFields).toBeUndefined()
  })
})
