import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const STRATEGIC = 'application/strategic-merge-patch+json'
const DS = '/apis/apps/v1/namespaces/default/deployments'

async function deployed() {
  const c = testCluster()
  const containers = [
    { name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] },
    { name: 'b', image: 'b:1' },
  ]
  await c.call('POST', DS, {
    metadata: { name: 'd', finalizers: ['x.io/a', 'x.io/b'] },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers } },
    },
  })
  const patch = (body: object) => c.call('PATCH', `${DS}/d`, body, STRATEGIC)
  const inPod = (spec: object) => patch({ spec: { template: { spec } } })
  return { ...c, patch, inPod }
}

const images = (o: { spec: { template: { spec: { containers: { name: string; image: string }[] } } } }) =>
  o.spec.template.spec.containers.map((c) => `${c.name}=${c.image}`)

describe('strategic merge patch', () => {
  it('merges lists by their key', async () => {
    const { inPod } = await deployed()
    const done = await inPod({ containers: [{ name: 'b', image: 'b:2' }] })
    expect(images(done.body)).toEqual(['a=a:1', 'b=b:2'])
  })

  it('adds, deletes and orders elements', async () => {
    const { inPod } = await deployed()
    const done = await inPod({
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
      containers: [
        { name: 'c', image: 'c:1' },
        { name: 'b', $patch: 'delete' },
      ],
    })
    expect(images(done.body)).toEqual(['c=c:1', 'a=a:1'])
  })

  it('deletes from lists of plain values, and unites with them', async () => {
    const { patch } = await deployed()
    const less = await patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.io/a'] } })
    expect(less.body.metadata.finalizers).toEqual(['x.io/b'])
    const more = await patch({ metadata: { finalizers: ['x.io/c'] } })
    expect(more.body.metadata.finalizers).toEqual(expect.arrayContaining(['x.io/b', 'x.io/c']))
  })

  it('keeps only what $retainKeys names', async () => {
    const { patch } = await deployed()
    const done = await patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })
    expect(done.body.spec.strategy).toEqual({ type: 'Recreate' })
    const bad = await patch({ spec: { strategy: { $retainKeys: ['type'], rollingUpdate: {} } } })
    expect(bad).toMatchObject({
      status: 422,
      body: { message: "patch content doesn't match retainKeys list" },
    })
  })

  it('replaces with $patch: replace and removes with null', async () => {
    const { inPod, patch } = await deployed()
    const done = await inPod({ containers: [{ $patch: 'replace' }, { name: 'z', image: 'z:1' }] })
    expect(images(done.body)).toEqual(['z=z:1'])
    expect((await patch({ metadata: { finalizers: null } })).body.metadata.finalizers).toBeUndefined()
  })
})
