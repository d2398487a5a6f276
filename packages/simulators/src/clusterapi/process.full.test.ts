/** What of the simulated upstream only a test in virtual time can see: its Lease, its caches, its delays, its filters. */
import { describe, expect, it } from 'vitest'
import { at, type KubeObject } from '../../../kube/src/object/index.ts'
import { LEASE, LEASE_NAMESPACE } from './lease.ts'
import { manifest } from './script.cases.ts'
import { simStage, simUpstream, urlOf } from './simstage.cases.ts'
import {
  addCluster,
  addConfigMap,
  addSet,
  bindingsPath,
  merge,
  must,
  type Stage,
  setsPath,
} from './stage.cases.ts'

const posts = (s: Stage): readonly string[] =>
  s.upstream.requests().flatMap((r) => (r.method === 'POST' && r.cluster !== '' ? [r.cluster] : []))
const entriesOf = async (s: Stage, cluster: string): Promise<readonly string[]> => {
  const { body } = await s.send('', 'GET', `${bindingsPath(s)}/${cluster}`)
  const list = at(body, 'spec', 'bindings')
  return Array.isArray(list) ? list.map((e) => String(at(e, 'clusterResourceSetName'))) : []
}

describe('leader election', () => {
  const leaseOf = (o: KubeObject | undefined) => ({
    holder: String(at(o, 'spec', 'holderIdentity')).split('_')[0],
    renewed: String(at(o, 'spec', 'renewTime')),
  })

  it('renews its Lease every 2 s, and a process that comes after a kill waits until it has not moved for 15 s', async () => {
    const s = await simStage('1.9', ['c1'])
    const lease = () => leaseOf(s.hub.local.get('leases.coordination.k8s.io', LEASE_NAMESPACE, LEASE))
    await s.upstream.start()
    const first = lease()
    await s.wait(2100)
    expect(lease().renewed > first.renewed).toBe(true)
    await s.upstream.kill()
    const left = lease()
    await s.wait(10_000)
    expect(lease()).toEqual(left)
    const from = s.env.clock.steady()
    await s.upstream.start()
    expect(s.env.clock.steady() - from).toBeGreaterThanOrEqual(15_000)
    expect(s.env.clock.steady() - from).toBeLessThan(20_000)
    expect(lease().holder).not.toBe(first.holder)
    await s.close()
  })

  it('of two processes one works', async () => {
    const s = await simStage('1.9', ['c1'])
    await s.upstream.start()
    const other = simUpstream(s.env, {
      version: '1.9',
      name: 'other',
      hub: () => s.env.net.connect(s.endpoint(''), 'operator'),
      cluster: (_, name) => s.env.net.connect(s.endpoint(name), 'operator'),
    })
    void other.start()
    await addCluster(s, 'c1')
    await addConfigMap(s, 'a', { x: manifest({ name: 'one' }) })
    await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
    await s.settle()
    expect([posts(s).length, other.requests().length]).toEqual([1, 0])
    await other.kill()
    await s.close()
  })
})

describe('caches', () => {
  it('that lag: deleting a set takes out an entry that another has just written', async () => {
    let lag = 0
    const s = await simStage('1.9', ['c1'], {
      lagMs: (what) => (what === 'clusterresourcesetbindings' ? lag : 0),
    })
    await s.upstream.start()
    await addCluster(s, 'c1')
    for (const n of [1, 2]) {
      await addConfigMap(s, `a${n}`, { x: manifest({ name: `lag-${n}` }) })
      await addSet(s, `crs${n}`, { resources: [`ConfigMap/a${n}`] })
      await s.settle()
    }
    lag = 5000
    // Somebody else's entry, of which the cache does not know yet.
    const { body } = await s.send('', 'GET', `${bindingsPath(s)}/c1`)
    const all = at(body, 'spec', 'bindings') as readonly object[]
    await merge(s, `${bindingsPath(s)}/c1`, {
      spec: { bindings: [...all, { clusterResourceSetName: 'ours' }] as never },
    })
    await must(s, '', 'DELETE', `${setsPath(s)}/crs1`)
    await s.settle()
    expect(await entriesOf(s, 'c1')).toEqual(['crs2'])
    await s.close()
  })
})

describe('sets that come at once', () => {
  it('fight for the binding of a cluster with conflicts, and all have their entry in the end (D13)', async () => {
    const s = await simStage('1.9', ['c1'])
    await s.upstream.start()
    await addCluster(s, 'c1')
    for (let n = 0; n < 10; n++) await addConfigMap(s, `a${n}`, { x: manifest({ name: `many-${n}` }) })
    for (let n = 0; n < 10; n++) await addSet(s, `crs${n}`, { resources: [`ConfigMap/a${n}`] })
    await s.wait(120_000)
    expect([...(await entriesOf(s, 'c1'))].sort()).toEqual([...Array(10).keys()].map((n) => `crs${n}`))
    // What a conflict has lost is applied again.
    expect(posts(s).length).toBeGreaterThan(10)
    await s.close()
  })
})

describe('the last cluster has the last word (D1)', () => {
  for (const [order, status] of [
    [['c1', 'c2'], 'True'],
    [['c2', 'c1'], 'False'],
  ] as const)
    it(`${order.join(', ')}, of which c1 fails: ${status}`, async () => {
      const s = await simStage('1.9', ['c1', 'c2'], { order: () => order })
      await s.upstream.start()
      for (const c of ['c1', 'c2']) await addCluster(s, c)
      s.env.net.wire(urlOf('c1'), {
        before: async (r) =>
          r.method === 'POST' ? { phase: 'connect', detail: 'connect ECONNREFUSED' } : undefined,
      })
      await addConfigMap(s, 'a', { x: manifest({ name: 'last' }) })
      await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
      await s.settle()
      const { body } = await s.send('', 'GET', `${setsPath(s)}/crs1`)
      expect(at(body, 'status', 'conditions', 0, 'status')).toBe(status)
      await s.close()
    })
})

describe('retries (D4)', () => {
  const times = async (version: '1.9' | '1.13', ms: number): Promise<readonly number[]> => {
    const at: number[] = []
    const s = await simStage(version, ['c1'], {
      hold(r) {
        if (r.method === 'POST' && r.cluster !== '') at.push(s.env.clock.steady())
        return undefined
      },
    })
    await s.upstream.start()
    await addCluster(s, 'c1')
    await addConfigMap(s, 'a', { x: manifest({ name: 'Refused' }) })
    await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
    await s.wait(ms)
    await s.close()
    return at.slice(1).map((t, i) => t - at[i]!)
  }

  it('double from 5 ms up to 1000 s: a quarter of an hour passes between two tries', async () => {
    const gaps = await times('1.9', 3_000_000)
    // A resync, every ten minutes, comes between; then the delay of the failures so far counts.
    expect(gaps.some((g) => g > 81_000 && g < 84_000)).toBe(true)
    expect(gaps.slice(-1)[0]).toBeGreaterThan(200_000)
  })

  it('from 1.13 on are at least a second apart', async () => {
    const gaps = await times('1.13', 20_000)
    expect(gaps.length).toBeGreaterThan(5)
    // From run to run; the first run has more to ask before.
    for (const g of gaps) expect(g).toBeGreaterThanOrEqual(990)
  })
})

describe('a strategy that a version does not know', () => {
  const strange = async (version: '1.8' | '1.9' | '1.13') => {
    const s = await simStage(version, ['c1'], { checked: false })
    const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
    const crd = s.hub.local.get(definitions, '', 'clusterresourcesets.addons.cluster.x-k8s.io')!
    const wider = JSON.parse(
      JSON.stringify(crd).replaceAll('"ApplyOnce","Reconcile"', '"ApplyOnce","Reconcile","Continuous"'),
    ) as KubeObject
    s.hub.local.update(wider, 'test')
    await s.upstream.start()
    await addCluster(s, 'c1')
    await addConfigMap(s, 'a', { x: manifest({ name: 'strange' }) })
    await addSet(s, 'crs1', { strategy: 'Continuous', resources: ['ConfigMap/a'] })
    await s.wait(3000)
    const before = s.upstream.requests().length
    await merge(s, `${setsPath(s)}/crs1`, { metadata: { labels: { look: 'again' } } })
    await s.wait(1000)
    const isAlive = s.upstream.requests().length > before
    const entry = (await s.send('', 'GET', `${bindingsPath(s)}/c1`)).body
    await s.close()
    return {
      isAlive,
      posts: posts(s).length,
      applied: at(entry, 'spec', 'bindings', 0, 'resources', 0, 'applied'),
    }
  }

  it('ends 1.8, fails a run of 1.9, and is refused by 1.13', async () => {
    expect(await strange('1.8')).toEqual({ isAlive: false, posts: 0, applied: undefined })
    expect(await strange('1.9')).toEqual({ isAlive: true, posts: 0, applied: undefined })
    expect(await strange('1.13')).toEqual({ isAlive: true, posts: 0, applied: false })
  })
})

describe('--watch-filter', () => {
  it('passes over sets without the label', async () => {
    const s = await simStage('1.9', ['c1'], { watchFilter: 'theirs' })
    await s.upstream.start()
    await addCluster(s, 'c1')
    for (const n of ['a', 'b']) await addConfigMap(s, n, { x: manifest({ name: `filter-${n}` }) })
    await addSet(s, 'crs1', { resources: ['ConfigMap/a'] })
    await addSet(s, 'crs2', {
      resources: ['ConfigMap/b'],
      labels: { 'cluster.x-k8s.io/watch-filter': 'theirs' },
    })
    await s.settle()
    expect(await entriesOf(s, 'c1')).toEqual(['crs2'])
    await s.close()
  })
})
