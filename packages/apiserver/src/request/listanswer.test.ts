import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const CMS = '/api/v1/namespaces/default/configmaps'
const cm = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
})

async function filled(count: number) {
  const c = testCluster()
  for (let i = 0; i < count; i++) c.server.local.create(cm(`c${String(i).padStart(4, '0')}`), 'w')
  return c
}

const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map((o) => o.metadata.name)

describe('a list in pages', () => {
  it('is one snapshot, whatever is written meanwhile', async () => {
    const { call, server } = await filled(1_000)
    const before = names((await call('GET', CMS)).body)
    const got: string[] = []
    let query = 'limit=7'
    for (let page = 0; query !== ''; page++) {
      const { body } = await call('GET', `${CMS}?${query}`)
      got.push(...names(body))
      if (body.metadata.continue) expect(body.metadata.remainingItemCount).toBe(1_000 - got.length)
      server.local.create(cm(`d${page}`), 'w')
      server.local.delete('configmaps', 'default', before[(page * 13) % 1_000]!, 'w')
      query = body.metadata.continue ? `limit=7&continue=${body.metadata.continue}` : ''
    }
    expect(got).toEqual(before)
  })

  it('past the history says so, and gives a token that goes on without the snapshot', async () => {
    const { call, later, server } = await filled(10)
    const first = await call('GET', `${CMS}?limit=4`)
    server.local.create(cm('x'), 'w')
    await later(6 * 60_000)
    for (let i = 0; i < 120; i++) server.local.create(cm(`d${i}`), 'w')
    const late = await call('GET', `${CMS}?limit=4&continue=${first.body.metadata.continue}`)
    expect(late).toMatchObject({ status: 410, body: { reason: 'Expired' } })
    const rest = await call('GET', `${CMS}?limit=4&continue=${late.body.metadata.continue}`)
    expect(names(rest.body)).toEqual(['c0004', 'c0005', 'c0006', 'c0007'])
  })

  it('takes an exact version from the history', async () => {
    const { call, server } = await filled(3)
    const then = (await call('GET', CMS)).body.metadata.resourceVersion
    server.local.delete('configmaps', 'default', 'c0001', 'w')
    const exact = await call('GET', `${CMS}?resourceVersion=${then}&resourceVersionMatch=Exact`)
    expect(names(exact.body)).toEqual(['c0000', 'c0001', 'c0002'])
    expect(exact.body.metadata.resourceVersion).toBe(then)
  })
})
