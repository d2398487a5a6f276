/** ClusterResourceSets of Cluster API, as a person finds them, takes them over and gives them back. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { LOOPBACK } from '../../packages/kube/src/env/hostrefusal.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import {
  CONTROLLER_USER,
  furnish,
  HUB,
  kubeconfigOf,
  type LocalFleet,
  startLocalFleet,
  untilServed,
} from '../../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { type LocalServer, serveLocally } from '../../packages/lockstep/src/cli/kit/localfleet/localserver.ts'
import { manageNamespaces } from '../../packages/lockstep/src/cli/kit/localfleet/managenamespaces.ts'
import {
  handBackReport,
  setImportReport,
  takeoverReport,
} from '../../packages/lockstep/src/cli/kit/sets/takeoverreport.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ClusterApiVersion } from '../../packages/simulators/src/clusterapi/clusterapioptions.ts'
import { ClusterApiHub } from './clusterapihub.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'

const NAMESPACE = 'sets'
const config = (name: string, v = '1'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {v: "${v}"}\n`

/** Both let go after a while: a short run has time for one. */
const VERSIONS: readonly ClusterApiVersion[] =
  process.env.LOCKSTEP_EVERY_WRITE === '1' ? ['1.9', '1.13'] : ['1.13']

describe.each(VERSIONS)('Cluster API %s', { sequential: true }, (version) => {
  let folder: string
  let fleet: LocalFleet
  let local: LocalServer
  let namespaces: { stop(): void }
  let manager: Manager
  let capi: ClusterApiHub

  const run = (args: string): Promise<Ran> =>
    sit(`${args} -n ${NAMESPACE}`.split(' '), { variables: { KUBECONFIG: join(folder, 'kubeconfig') } })
  const versionsOn = (cluster: string): string[] =>
    fleet.clusters
      .get(cluster)!
      .local.list('configmaps', 'default')
      .filter((o) => ['w', 'x'].includes(o.metadata.name!))
      .map((o) => `${o.metadata.name} ${o.metadata.resourceVersion}`)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-sets-'))
    const env = createNodeEnv(nodeLog('silent'))
    fleet = startLocalFleet(env, { clusters: ['c1', 'c2'], delays: { notice: [1, 5], start: [5, 20] } })
    const servers = new Map([[HUB, fleet.hub], ...fleet.clusters])
    const opened = await serveLocally(env, servers, 0)
    if (!opened.ok) throw new Error(opened.error.detail)
    local = opened.value
    // Clusters are Cluster API's alone.
    furnish({ ...fleet, clusters: new Map() }, local.accessOf)
    writeFileSync(join(folder, 'kubeconfig'), kubeconfigOf([HUB], local.accessOf, NAMESPACE))
    const hub = createHttpClient(env, HUB, env.net.connect(local.endpointOf(HUB), 'operator'))
    await untilServed(env, hub)
    const clusters = [...fleet.clusters.values()]
    capi = await ClusterApiHub.open(env, hub, local, { version, namespace: NAMESPACE, clusters })
    namespaces = manageNamespaces(env, fleet.hub, hub)
    const controller = env.net.connect(local.endpointOf(HUB, CONTROLLER_USER), 'operator')
    const client = createHttpClient(env, HUB, controller, 'lockstep-controller')
    manager = startManager(env, client, { allowHosts: LOOPBACK })
    await manager.started
    await capi.source('a', { 'a.yaml': config('x') })
    await capi.source('b', { 'b.yaml': config('w') })
    await capi.set('shop', ['a', 'b'], 'Reconcile')
    let seen = ''
    await eventually(
      async () => {
        const { out, err } = await run('get crs')
        seen = `${out}${err}`
        return /^shop +Reconcile +2\/2 /m.test(out)
      },
      'Cluster API has applied it',
      () => seen,
    )
  }, 90_000)
  afterAll(async () => {
    namespaces.stop()
    manager.stop()
    capi.upstream.kill()
    fleet.stop()
    await local.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('sets are listed in whichever version the hub serves; whose they are is said', async () => {
    const { out } = await run('get crs')
    expect(out).toMatch(/^NAME +MODE +MANAGED +APPLIED +STATUS +AGE\nshop +Reconcile +2\/2 +\S/)
    const [one] = JSON.parse((await run('get clusterresourcesets -o json')).out).items
    expect(one.apiVersion).toBe(`addons.cluster.x-k8s.io/${capi.setKind.version}`)
    expect((await run('get clusterresourcesetbindings')).out).toMatch(/\nc1 +c1 /)
    expect((await run('explain clusterresourceset.spec.strategy')).out).toContain(
      'Strategy of the deployment',
    )
  })

  it('a Module can be made of one', async () => {
    const { code, out } = await run('import crs shop')
    expect(code).toBe(0)
    // Deleted as it is, Cluster API's takes its sources with it, which the Module reads.
    expect(out).toMatch(/^# ClusterResourceSet sets\/shop: Cluster API's, which deletes its sources with it/)
    expect(out).toContain('# Take it over first: lockstep takeover crs shop -n sets --yes\n')
    expect(out).toContain('--cascade=orphan')
    expect(out).toMatch(/\nkind: Module\nmetadata:\n {2}name: shop\n/)
    const report = setImportReport.schema.parse(JSON.parse((await run('import crs --all -o json')).out))
    expect([report.of, report.modules.length, report.refused]).toEqual(['SetImport', 1, []])
    expect((await run('import crs')).code).toBe(2)
  })

  it('what is not managed has no word on whether it is ready', async () => {
    const { code, err } = await run('wait crs/shop --timeout 1s')
    expect([code, err]).toEqual([4, expect.stringContaining('(lockstep takeover crs shop)')])
  })

  it('a takeover is shown first, and nothing is changed', async () => {
    const { code, out, err } = await run('takeover crs shop')
    expect([code, out]).toEqual([0, expect.stringMatching(/^shop: Reconcile on 2 clusters: nothing 4\n/)])
    expect(out).toMatch(/c1 +all 2 sources +nothing\n/)
    expect(err).toContain('Nothing was changed. To take over: lockstep takeover crs shop -n sets --yes')
    const report = JSON.parse((await run('takeover crs --all -o json')).out)
    expect(takeoverReport.schema.parse(report).sets[0]!.clusters[0]!.sources).toEqual([
      { kind: 'ConfigMap', name: 'a', plan: 'nothing' },
      { kind: 'ConfigMap', name: 'b', plan: 'nothing' },
    ])
    expect((await capi.see('shop')).metadata.annotations?.[SET.managed]).toBeUndefined()
  })

  it('what is wrong with it is said, and nothing of it is changed', async () => {
    await capi.set('bad', ['gone'], 'ApplyOnce', { [SET.interval]: '10' })
    const { code, err } = await run('takeover crs bad --yes')
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('lockstep.dev/interval: "10": not a duration; write "10s" or "10m"'),
    ])
    expect((await capi.see('bad')).metadata.annotations?.[SET.managed]).toBeUndefined()
    await capi.set('bad', ['gone'], 'ApplyOnce', { [SET.mode]: 'Reconcile' })
    const { out } = await run('takeover crs bad')
    expect(out).toContain('ResourceNotFound: ConfigMap sets/gone (spec.resources[0])')
    expect(out).toContain('lockstep.dev/mode: Reconcile overrides spec.strategy: ApplyOnce')
    expect((await run('takeover crs nobody')).err).toContain('no ClusterResourceSet "nobody"')
    expect((await run('takeover crs')).code).toBe(2)
  })

  it('is taken over once Cluster API lets go, without a write to a cluster', async () => {
    const before = ['c1', 'c2'].map(versionsOn)
    const { code, out } = await run('takeover crs shop --yes --timeout 60s')
    expect([code, out]).toEqual([0, '✔ shop: managed by Lockstep\n'])
    expect((await run('get crs shop')).out).toMatch(
      /\nshop +Reconcile +True +2\/2 +applied on 2 of 2 clusters/,
    )
    expect((await run('wait crs/shop --timeout 30s')).code).toBe(0)
    // From now on its sources stay when it is deleted.
    expect((await run('import crs shop')).out).toMatch(
      /^# ClusterResourceSet sets\/shop: delete it once this Module is ready/,
    )
    expect(['c1', 'c2'].map(versionsOn)).toEqual(before)
    expect(await run('takeover crs shop')).toMatchObject({
      code: 0,
      out: '✔ shop: managed by Lockstep already\n',
    })
  })

  it('goes back: what would stay is shown, then nothing of Lockstep is left on it', async () => {
    const before = ['c1', 'c2'].map(versionsOn)
    const shown = await run('handback crs shop')
    expect([shown.code, shown.out]).toEqual([
      0,
      expect.stringContaining('shop: would be managed by Cluster API again'),
    ])
    expect((await capi.see('shop')).metadata.annotations?.[SET.managed]).toBe('true')
    const done = await run('handback crs shop --yes -o json')
    expect([done.code, handBackReport.schema.parse(JSON.parse(done.out)).sets[0]]).toEqual([
      0,
      expect.objectContaining({ name: 'shop', state: 'HandedBack', message: '' }),
    ])
    const { metadata, status } = await capi.see('shop')
    expect(metadata.annotations ?? {}).toEqual({})
    expect(JSON.stringify(status)).not.toContain('lockstep')
    expect(['c1', 'c2'].map(versionsOn)).toEqual(before)
    expect((await run('handback crs shop')).out).toBe('✔ shop: managed by Cluster API\n')
  })

  it('--strip: marks of Lockstep are taken off the objects that it has written, one request each; what is on no object is said', async () => {
    const x = (cluster: string) => fleet.clusters.get(cluster)!.local.get('configmaps', 'default', 'x')!
    expect((await run('takeover crs shop --yes --timeout 60s')).code).toBe(0)
    await capi.source('a', { 'a.yaml': config('x', '2') })
    await eventually(
      async () => ['c1', 'c2'].every((c) => x(c).metadata.labels?.[UNIT_LABEL] !== undefined),
      'Lockstep has written it',
      () => JSON.stringify(x('c1')),
    )
    expect((await run('wait crs/shop --timeout 30s')).code).toBe(0)
    expect((await run('handback crs shop')).out).toContain('to remove them, add --strip')
    const shown = await run('handback crs shop --strip')
    expect([shown.out.includes('lockstep.dev/unit'), shown.err]).toEqual([
      false,
      expect.stringContaining('lockstep handback crs shop -n sets --strip --yes'),
    ])
    const before = ['c1', 'c2'].map((c) => Number(x(c).metadata.resourceVersion))
    const writes: string[] = []
    for (const [name, { local }] of fleet.clusters)
      local.watch('configmaps', ({ object }) => writes.push(`${name} ${object.metadata.name}`))
    const done = await run('handback crs shop --strip --yes')
    expect([done.code, done.out]).toEqual([
      0,
      '✔ shop: managed by Cluster API again; labels of Lockstep removed from 2 objects on 2 clusters\n',
    ])
    expect(writes.filter((w) => / [wx]$/.test(w)).sort()).toEqual(['c1 x', 'c2 x'])
    for (const [i, c] of ['c1', 'c2'].entries()) {
      const { metadata, data } = x(c)
      expect([metadata.labels, metadata.annotations, data]).toEqual([undefined, undefined, { v: '2' }])
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(before[i]!)
    }
    expect((await run('handback crs shop --strip --yes')).out).toBe(
      '✔ shop: managed by Cluster API; no object has labels of Lockstep\n',
    )
  })

  it('as Continuous: its mode, its Module, and what is not well are seen as those of any other', async () => {
    await capi.set('shop', ['a', 'b'], 'Reconcile', { [SET.mode]: 'Continuous' })
    const shown = await run('takeover crs shop')
    expect(shown.out).toMatch(/^shop: Continuous on 2 clusters: metadata only 4\n/)
    expect((await run('takeover crs shop --yes --timeout 60s')).code).toBe(0)
    expect((await run('wait crs/shop --timeout 60s')).code).toBe(0)
    expect((await run('get crs shop')).out).toMatch(
      /\nshop +Continuous +True +2\/2 +in sync on 2 of 2 clusters/,
    )
    const modules = await run('get modules')
    expect(modules.out).toMatch(/\ncrs-shop +/)
    expect(modules.err).toContain('crs-shop is managed by ClusterResourceSet shop: change the set instead')
    expect(await run('why crs-shop@c1')).toMatchObject({ code: 0 })
    const { out: told } = await run('events crs/shop')
    expect(told).toMatch(/ TakenOver +clusterresourceset\/shop +Lockstep reconciles this /)
    expect(told).toMatch(/ Published +module\/crs-shop +revision /)
    expect((await run('events')).out).toContain('TakenOver')
    expect((await run('handback crs shop --yes')).code).toBe(0)
    await capi.set('shop', ['a', 'b'], 'Reconcile')
    await eventually(
      async () => (await run('get modules')).out === '',
      'its Module is gone',
      () => '',
    )
  })

  it('where Cluster API does not let go within the time, that is said; it goes on by itself', async () => {
    manager.stop()
    const { code, err } = await run('takeover crs shop --yes --timeout 1s')
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(
        /is not taken over after 1s: Lockstep has not paused Cluster API yet; check whether its controller/,
      ),
    ])
    expect((await run('get crs shop')).out).toMatch(/\nshop +Reconcile +Asked /)
    expect((await run('handback crs shop --yes')).code).toBe(0)
  })

  it('a Cluster API that cannot let go ends the wait, in the words of the condition; what is left is said', async () => {
    expect((await run('takeover crs shop --yes --timeout 1s')).code).toBe(4)
    const message = "Cluster API's controller has not acknowledged the pause; versions before 1.9 cannot"
    await capi.say('shop', {
      type: 'lockstep.dev/Managed',
      status: 'False',
      reason: 'PreviousControllerActive',
      message,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })
    for (const args of ['takeover crs shop', 'takeover crs shop --yes']) {
      const { code, err } = await run(args)
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
      expect(err).toContain('to cancel: lockstep handback crs shop -n sets --yes')
    }
    const { code, err } = await run('handback crs shop --yes --timeout 1s')
    expect([code, err]).toEqual([
      4,
      expect.stringContaining('is not handed back after 1s: conditions of Lockstep still exist'),
    ])
  })
})
