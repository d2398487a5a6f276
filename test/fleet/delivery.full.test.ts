import { describe, expect, it } from 'vitest'
import { configMapKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { jobHook, together } from './hookspecs.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

function requests(story: Story, cluster: string): Record<string, number> {
  const found: Record<string, number> = {}
  for (const { name, labels, value } of story.fleet.env.meters.read()) {
    // Dry runs are counted apart.
    const isCounted = labels.cluster === cluster && labels.why !== 'user' && labels.why !== 'dryrun'
    if (name !== 'lockstep_client_requests_total' || !isCounted) continue
    const what = `${labels.verb} ${labels.why}`
    found[what] = (found[what] ?? 0) + value
  }
  return found
}

/** Requests that reach a server from now on, watches apart: counted between the two. */
function onTheWay(story: Story, name: string): readonly string[] {
  const seen: string[] = []
  story.fleet.env.net.wire(`https://${name}.test`, {
    async before({ method, path }) {
      if (!path.includes('watch=true')) seen.push(`${method} ${path}`)
      return undefined
    },
  })
  return seen
}

const difference = (after: Record<string, number>, before: Record<string, number>): number =>
  Object.entries(after).reduce((sum, [k, v]) => sum + v - (before[k] ?? 0), 0)

describe('requests follow what changes', () => {
  it('1,000 ConfigMaps: 1 changed → ≤ 8 requests, 100 changed → ≤ 116, none → 0', {
    timeout: 120_000,
  }, async () => {
    const story = await Story.begin('O24', ['edge'])
    const text = (changed: number) =>
      Array.from({ length: 1000 }, (_, i) =>
        configManifest(`c${i}`, i < changed ? `new${changed}` : 'old'),
      ).join('---\n')
    await story.config('v1', text(0))
    await story.module('big', 'v1')
    expect(await story.until(() => story.isReady('big'), 600)).toBe(true)
    const sent = { edge: onTheWay(story, 'edge'), hub: onTheWay(story, 'hub') }
    for (const [changed, limit] of [
      [1, 8],
      [100, 116],
    ] as const) {
      const before = requests(story, 'edge')
      const from = sent.edge.length
      await story.config(`v-${changed}`, text(changed))
      await story.module('big', `v-${changed}`)
      await story.pass(3)
      expect(await story.until(() => story.isReady('big'), 600)).toBe(true)
      const spent = difference(requests(story, 'edge'), before)
      // Values of the first change go back to old ones in the second.
      expect(spent).toBeLessThanOrEqual(limit)
      expect(spent).toBeGreaterThanOrEqual(changed)
      // What is counted on the way is what our own meters say; dry runs are apart.
      expect(sent.edge.slice(from).filter((line) => !line.includes('dryRun=')).length).toBe(spent)
    }
    const before = { edge: requests(story, 'edge'), hub: requests(story, 'hub') }
    const quiet = { edge: sent.edge.length, hub: sent.hub.length }
    await story.pass(600)
    expect([sent.edge.slice(quiet.edge), sent.hub.slice(quiet.hub)]).toEqual([[], []])
    const watches = (r: Record<string, number>) => r['watch sync'] ?? 0
    const [edge, hub] = [requests(story, 'edge'), requests(story, 'hub')]
    expect(difference(edge, before.edge)).toBe(watches(edge) - watches(before.edge))
    expect(difference(hub, before.hub)).toBe(watches(hub) - watches(before.hub))
  })
})

describe('the hub is told little', () => {
  it('a changed unit with one edge costs it ≤ 10 requests, publishing 2, its Events 3, and a review of rights', async () => {
    const story = await Story.begin('hubcost', ['edge'])
    await story.config('base', configManifest('base', '1'))
    await story.config('v1', configManifest('m', '1'))
    await story.module('base', 'base')
    await story.module('m', 'v1', { dependsOn: ['base'] })
    expect(await story.until(() => story.isReady('base') && story.isReady('m'))).toBe(true)
    await story.pass(10)
    const before = requests(story, 'hub')
    await story.config('v2', configManifest('m', '2'))
    await story.module('m', 'v2', { dependsOn: ['base'] })
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    await story.pass(10)
    const after = requests(story, 'hub')
    const sent = (request: string) => (after[request] ?? 0) - (before[request] ?? 0)
    expect([sent('create publish'), sent('create review')]).toEqual([2, 1])
    expect(difference(after, before) - 3).toBeLessThanOrEqual(8 + 2 + 3)
  })

  it('a request to ask the source again is answered in the status, once', async () => {
    const story = await Story.begin('handled', ['edge'])
    await story.config('v1', configManifest('m', '1'))
    await story.module('m', 'v1')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    const annotations = { 'lockstep.dev/reconcile': 'now' }
    must(
      await story.during(
        story.fleet.hub.patch(moduleKind, story.see('m').metadata, { metadata: { annotations } }, USER),
      ),
    )
    expect(await story.until(() => story.see('m').status?.lastHandledReconcileAt === 'now', 5)).toBe(true)
    await story.pass(10)
    const from = story.fleet.commits.length
    await story.pass(60)
    expect(story.fleet.commits.length).toBe(from)
  })

  it('Ready does not speak of a spec that is not published yet', async () => {
    const story = await Story.begin('settling', ['edge'])
    await story.config('v1', configManifest('m', '1'))
    await story.config('v2', configManifest('m', '2'))
    await story.module('m', 'v1')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    const first = story.see('m').status?.currentRevision
    await story.module('m', 'v2')
    // Each status on the way: one that has looked at the new spec is not Ready at the old revision.
    let isWrong = false
    await story.until(() => {
      const { status } = story.see('m')
      if (story.isReady('m') && status?.currentRevision === first) isWrong = true
      return story.isReady('m')
    })
    expect(isWrong).toBe(false)
    expect(story.see('m').status?.currentRevision).not.toBe(first)
  })
})

describe('GETs are only those of admissions', () => {
  it('in a run without faults', async () => {
    const story = await Story.begin('GET', ['c1', 'c2'])
    for (const name of ['a', 'b']) await story.config(name, configManifest(name, '1'))
    await story.module('a', 'a')
    await story.module('b', 'b', { dependsOn: ['a'] })
    expect(await story.until(() => story.isReady('a') && story.isReady('b'))).toBe(true)
    const gets = ['hub', 'c1', 'c2'].flatMap((c) =>
      Object.entries(requests(story, c))
        .filter(([k]) => k.startsWith('get'))
        .sort(),
    )
    expect(gets).toEqual([
      // Module and Inventory of the dependency, for the two units that have one.
      ['get admission', 2 * 2],
      // Who the hub is; then of each cluster who it is, the namespace of stamps, and one stamp a unit.
      ['get stamp', 1],
      ...[1, 2].flatMap(() => [['get identity', 1] as const, ['get stamp', 1 + 2] as const]),
    ])
  })
})

describe('the order of a bundle', () => {
  it('Namespace, definition and its resource, account and config before the workload (I4)', async () => {
    const story = await Story.begin('O5', ['edge'], { delays: LIFELIKE })
    await story.config(
      'all',
      [
        deploymentManifest('web', 'web:1')
          .replace('namespace: default', 'namespace: shop')
          .replace(
            'containers:',
            'serviceAccountName: web\n      volumes: [{name: c, configMap: {name: settings}}]\n      containers:',
          ),
        'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\nspec: {size: 1}\n',
        configManifest('settings', '1').replace('namespace: default', 'namespace: shop'),
        'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web, namespace: shop}\n',
        `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]
`,
        'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
      ].join('---\n'),
    )
    await story.module('shop', 'all')
    expect(await story.until(() => story.isReady('shop'))).toBe(true)
    const writes = story.writes('edge')
    const at = (what: string): number => writes.findIndex((w) => w.endsWith(what))
    expect(at('namespaces shop')).toBeLessThan(at('configmaps shop/settings'))
    expect(at('customresourcedefinitions.apiextensions.k8s.io widgets.example.com')).toBeLessThan(
      at('widgets.example.com shop/w'),
    )
    expect(at('configmaps shop/settings')).toBeLessThan(at('deployments.apps shop/web'))
    expect(at('serviceaccounts shop/web')).toBeLessThan(at('deployments.apps shop/web'))
    expect(writes.filter((w) => w.startsWith('create'))).toHaveLength(6)
    expect(story.fleet.oracles.violations).toEqual([])

    await story.deleteModule('shop')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    const gone = story.fleet.commits.filter((c) => c.cluster === 'edge' && !c.next).map((c) => c.resource)
    // What the others stand on goes last.
    expect(gone.indexOf('widgets.example.com')).toBeLessThan(
      gone.indexOf('customresourcedefinitions.apiextensions.k8s.io'),
    )
    expect(gone.lastIndexOf('namespaces')).toBeGreaterThan(gone.indexOf('deployments.apps'))
  })

  it('a Namespace in a later wave than its content is pulled forward', async () => {
    const story = await Story.begin('O5b', ['edge'])
    const wave = (n: string) => `annotations: {argocd.argoproj.io/sync-wave: "${n}"}`
    await story.config(
      'all',
      [
        `apiVersion: v1\nkind: Namespace\nmetadata: {name: late, ${wave('5')}}\n`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: early, namespace: late, ${wave('0')}}\n`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: last, namespace: late, ${wave('10')}}\n`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, namespace: late, ${wave('-5')}}\n`,
      ].join('---\n'),
    )
    await story.module('waves', 'all')
    expect(await story.until(() => story.isReady('waves'))).toBe(true)
    expect(story.writes('edge')).toEqual([
      'create namespaces late',
      'create configmaps late/first',
      'create configmaps late/early',
      'create configmaps late/last',
    ])
  })
})

describe('one refused object stops only what stands on it', () => {
  it('the rest is delivered and healthy; the status counts', async () => {
    const story = await Story.begin('O36', ['edge'])
    await story.config(
      'all',
      [
        configManifest('good', '1'),
        deploymentManifest('bad', 'bad:1').replace('labels: {app: bad}', 'labels: {app: other}'),
      ].join('---\n'),
    )
    await story.module('mixed', 'all')
    expect(await story.until(() => story.inventory('mixed', 'edge')?.status?.state === 'Failed')).toBe(true)
    expect(story.live('edge', 'configmaps', 'good')).toBeDefined()
    expect(story.inventory('mixed', 'edge')?.status?.objects).toEqual({
      total: 2,
      applied: 1,
      ready: 1,
      failed: 1,
      blocked: 0,
    })
    expect(story.inventory('mixed', 'edge')?.status?.blockers?.[0]).toMatchObject({
      reason: 'ApplyFailed',
      on: [{ kind: 'Object', cluster: 'edge', object: { apiVersion: 'apps/v1', kind: 'Deployment' } }],
      message: expect.stringContaining('Deployment default/bad: spec.template.metadata.labels'),
    })
  })
})

describe('what a bundle no longer has', () => {
  it('goes after everything else is healthy; an empty render deletes nothing', async () => {
    const story = await Story.begin('O33', ['edge'])
    await story.config('v1', [configManifest('keep', '1'), configManifest('drop', '1')].join('---\n'))
    await story.module('web', 'v1')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.config('v2', configManifest('keep', '2'))
    await story.module('web', 'v2')
    await story.pass(3)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.live('edge', 'configmaps', 'drop')).toBeUndefined()
    const from = story.fleet.commits.length
    await story.config('v3', '# nothing\n')
    await story.module('web', 'v3')
    await story.pass(10)
    expect(story.blockers('web')[0]).toBe(
      'EmptyRender: the bundle has no objects and apply.allowEmpty is false; the deployed objects stay',
    )
    expect(story.writes('edge', from)).toEqual([])
    expect(story.live('edge', 'configmaps', 'keep')).toBeDefined()
  })
})

describe('objects of others', () => {
  it('two modules claim one object: the second is refused, the first unharmed', async () => {
    const story = await Story.begin('owned', ['edge'])
    await story.config('one', configManifest('shared', 'first'))
    await story.config('two', configManifest('shared', 'second'))
    await story.module('first', 'one')
    expect(await story.until(() => story.isReady('first'))).toBe(true)
    await story.module('second', 'two')
    expect(await story.until(() => story.see('second').status?.clusters?.blocked === 1)).toBe(true)
    expect(story.blockers('second')).toEqual([
      expect.stringMatching(
        /^OwnedByAnother: ConfigMap default\/shared on edge belongs to Module platform\/first; /,
      ),
    ])
    expect(story.inventory('second', 'edge')).toBeUndefined()
    expect(story.live('edge', 'configmaps', 'shared')?.data).toEqual({ value: 'first' })
  })

  it('one that nobody owns is adopted, with its other fields left alone', async () => {
    const story = await Story.begin('adopt', ['edge'])
    const edge = story.fleet.clusters.get('edge')!.client
    const mine = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'default' },
      data: { other: 'stays' },
    }
    must(await story.during(edge.create(configMapKind, mine, { purpose: 'user', manager: 'somebody' })))
    await story.config('x', configManifest('x', '1'))
    await story.module('x', 'x')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    expect(story.live('edge', 'configmaps', 'x')?.data).toEqual({ other: 'stays', value: '1' })
  })

  it('one that somebody deletes while its change is under way is announced before it is created anew (I6)', async () => {
    const story = await Story.begin('vanish', ['edge'])
    const edge = story.fleet.clusters.get('edge')!
    await story.config('v1', configManifest('x', '1'))
    await story.module('x', 'v1')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    let isArmed = true
    story.fleet.env.net.wire('https://edge.test', {
      async before(request) {
        if (!isArmed || request.method !== 'PATCH') return undefined
        isArmed = false
        must(
          await edge.client.delete(
            configMapKind,
            { namespace: 'default', name: 'x' },
            { purpose: 'user', manager: 'somebody', precondition: 'any' },
          ),
        )
        return undefined
      },
    })
    await story.config('v2', configManifest('x', '2'))
    await story.module('x', 'v2')
    const isThere = () =>
      (story.live('edge', 'configmaps', 'x')?.data as { value?: string } | undefined)?.value === '2'
    expect(await story.until(() => isThere() && story.isReady('x'))).toBe(true)
    expect(isArmed).toBe(false)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a Namespace that another module uses stays', async () => {
    const story = await Story.begin('inuse', ['edge'])
    await story.config(
      'ns',
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n${configManifest('a', '1')}`,
    )
    await story.config('in', configManifest('b', '1').replace('namespace: default', 'namespace: shop'))
    await story.module('owner', 'ns')
    await story.module('user', 'in', { dependsOn: ['owner'] })
    expect(await story.until(() => story.isReady('user'))).toBe(true)
    await story.config('ns2', configManifest('a', '1'))
    await story.module('owner', 'ns2')
    await story.pass(10)
    const namespace = must(
      await story.during(
        story.fleet.clusters.get('edge')!.client.get(namespaceKind, { name: 'shop' }, { purpose: 'user' }),
      ),
    )
    expect(namespace.metadata.deletionTimestamp).toBeUndefined()
    expect(namespace.metadata.labels).toMatchObject({ 'lockstep.dev/unit': 'm.platform.user' })
    expect(story.isReady('owner')).toBe(true)
  })
})

describe('a Job that its TTL takes away', () => {
  it('is done: it is not made again, also by another controller or with other content beside it', async () => {
    const story = await Story.begin('ttl', ['edge'], { delays: LIFELIKE })
    const text = (image: string, v: string) =>
      together(
        jobHook('seed', undefined, { image, spec: { ttlSecondsAfterFinished: 0 } }),
        configManifest('c', v),
      )
    await story.config('v1', text('seed:1', '1'))
    await story.config('v2', text('seed:1', '2'))
    await story.config('v3', text('seed:3', '2'))
    await story.module('m', 'v1')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    await story.pass(60)
    const made = (): string[] => story.writes('edge').filter((w) => w === 'create jobs.batch default/seed')
    expect([made().length, story.live('edge', 'jobs.batch', 'seed')]).toEqual([1, undefined])
    await story.module('m', 'v2')
    await story.pass(60)
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(700)
    expect([story.isReady('m'), made().length]).toEqual([true, 1])
    await story.module('m', 'v3')
    expect(await story.until(() => made().length === 2 && story.isReady('m'))).toBe(true)
    await story.pass(60)
    expect(made()).toHaveLength(2)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
