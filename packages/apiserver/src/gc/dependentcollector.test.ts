import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const CMS = '/api/v1/namespaces/default/configmaps'

interface Owner {
  readonly name: string
  readonly uid: string
  readonly block?: boolean
  readonly kind?: string
}

const refs = (owners: readonly Owner[]) =>
  owners.map((o) => ({
    apiVersion: 'v1',
    kind: o.kind ?? 'ConfigMap',
    name: o.name,
    uid: o.uid,
    ...(o.block ? { blockOwnerDeletion: true } : {}),
  }))

function cluster() {
  const c = testCluster()
  const make = async (name: string, owners: readonly Owner[] = [], path = CMS): Promise<Owner> => {
    const made = await c.call('POST', path, { metadata: { name, ownerReferences: refs(owners) } })
    return { name, uid: made.body.metadata.uid }
  }
  const names = async (path = CMS): Promise<string[]> =>
    (await c.call('GET', path)).body.items.map((o: { metadata: { name: string } }) => o.metadata.name)
  const drop = (name: string, propagationPolicy?: string) =>
    c.call('DELETE', `${CMS}/${name}`, propagationPolicy ? { propagationPolicy } : undefined)
  const deletes = (): string[] =>
    c.commits.filter((r) => r.next === undefined).map((r) => r.key.split('/').pop()!)
  return { ...c, make, names, drop, deletes }
}

describe('dependents', () => {
  it('follow their owner, each deleted once', async () => {
    const c = cluster()
    const owner = await c.make('owner')
    const child = await c.make('child', [owner])
    await c.make('grandchild', [child])
    await c.drop('owner', 'Background')
    await c.settle()
    expect(await c.names()).toEqual([])
    expect(c.deletes()).toEqual(['owner', 'child', 'grandchild'])
  })

  it('stay while one owner is there, and lose the reference to the one that is not', async () => {
    const c = cluster()
    const [a, b] = [await c.make('a'), await c.make('b')]
    await c.make('child', [a, b])
    await c.drop('a')
    await c.settle()
    const child = (await c.call('GET', `${CMS}/child`)).body
    expect(child.metadata.ownerReferences).toEqual(refs([b]))
  })

  it('of an owner that never was go; so do those of one that was made again under its name', async () => {
    const c = cluster()
    await c.make('dangling', [{ name: 'nobody', uid: 'no-such-uid' }])
    const owner = await c.make('owner')
    await c.make('child', [owner])
    await c.settle()
    await c.drop('owner', 'Background')
    await c.make('owner')
    await c.settle()
    expect(await c.names()).toEqual(['owner'])
  })

  it('are let go by Orphan', async () => {
    const c = cluster()
    const owner = await c.make('owner')
    await c.make('child', [owner])
    const held = await c.drop('owner', 'Orphan')
    expect(held.body.metadata.finalizers).toEqual(['orphan'])
    await c.settle()
    expect(await c.names()).toEqual(['child'])
    expect((await c.call('GET', `${CMS}/child`)).body.metadata.ownerReferences).toBeUndefined()
  })

  it('go first with Foreground', async () => {
    const c = cluster()
    const owner = await c.make('owner')
    await c.make('child', [{ ...owner, block: true }])
    expect((await c.drop('owner', 'Foreground')).body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await c.settle()
    expect(await c.names()).toEqual([])
    expect(c.deletes()).toEqual(['child', 'owner'])
  })

  it('in a circle go together', async () => {
    const c = cluster()
    const a = await c.make('a')
    const b = await c.make('b', [{ ...a, block: true }])
    await c.call(
      'PATCH',
      `${CMS}/a`,
      { metadata: { ownerReferences: refs([{ ...b, block: true }]) } },
      'application/merge-patch+json',
    )
    await c.settle()
    await c.drop('a', 'Foreground')
    await c.settle()
    expect(await c.names()).toEqual([])
    expect(c.deletes().sort()).toEqual(['a', 'b'])
  })
})

describe('owners out of reach', () => {
  it('in another namespace count as absent', async () => {
    const c = cluster()
    await c.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } })
    const owner = await c.make('owner', [], '/api/v1/namespaces/other/configmaps')
    await c.make('child', [owner])
    await c.settle()
    expect(await c.names()).toEqual([])
    expect(await c.names('/api/v1/namespaces/other/configmaps')).toEqual(['owner'])
  })

  it('never collect a cluster-scoped object when they are namespaced', async () => {
    const c = cluster()
    const owner = await c.make('owner')
    await c.make('role', [owner], '/apis/rbac.authorization.k8s.io/v1/clusterroles')
    await c.drop('owner')
    await c.settle()
    expect(await c.names('/apis/rbac.authorization.k8s.io/v1/clusterroles')).toContain('role')
  })
})

describe('a Job deleted without a policy', () => {
  it('leaves its pods; Background takes them', async () => {
    for (const [policy, left] of [
      [undefined, ['p']],
      ['Background', []],
    ] as const) {
      const c = cluster()
      const jobs = '/apis/batch/v1/namespaces/default/jobs'
      const pods = '/api/v1/namespaces/default/pods'
      const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'c' }] }
      const job = await c.call('POST', jobs, { metadata: { name: 'j' }, spec: { template: { spec } } })
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: job.body.metadata.uid }]
      await c.call('POST', pods, { metadata: { name: 'p', ownerReferences }, spec })
      await c.call('DELETE', `${jobs}/j`, policy ? { propagationPolicy: policy } : undefined)
      await c.settle()
      expect(await c.names(pods)).toEqual(left)
      expect(await c.names(jobs)).toEqual([])
    }
  })
})
