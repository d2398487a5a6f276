/** Hooks: when they run, what follows, and what their end means. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../src/api/kinds/foreign.ts'
import { inventoryKind, moduleKind } from '../../src/api/registry.ts'
import { LIFELIKE } from '../../src/apiserver/world/world.ts'
import { configHook, createsOf, hooksOf, jobHook, jobKind, podHook, together } from './hooks.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { why: 'user', manager: 'user', fence: 'any' } as const

async function begun(name: string, text: string, o: object = {}): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('v1', text)
  await story.module('m', 'v1', o)
  return story
}

async function delivered(name: string, text: string, o: object = {}): Promise<Story> {
  const story = await begun(name, text, o)
  expect(await story.until(() => story.isReady('m')), story.blockers('m').join('\n')).toBe(true)
  return story
}

async function next(story: Story, source: string, text: string, o: object = {}): Promise<void> {
  await story.config(source, text)
  await story.module('m', source, o)
}

const isThere = (story: Story, resource: string, name: string): boolean =>
  story.live('edge', resource, name) !== undefined

/** Somebody says `lockstep rollout retry`. */
async function retry(story: Story, which: 'Failed' | 'All'): Promise<void> {
  const { hub } = story.fleet
  const key = { namespace: NAMESPACE, name: 'm.m.edge' }
  const hooks = { metadata: { annotations: { 'lockstep.dev/retry-hooks': which } } }
  must(await story.during(hub.patch(inventoryKind, key, hooks, USER)))
  const rollout = { metadata: { annotations: { 'lockstep.dev/retry': String(story.fleet.env.clock.now()) } } }
  must(await story.during(hub.patch(moduleKind, { ...key, name: 'm' }, rollout, USER)))
}

const dataOf = (story: Story, name: string): unknown =>
  (story.live('edge', 'configmaps', name)?.data as Record<string, unknown> | undefined)?.value

const unitBlockers = (story: Story): string[] =>
  (story.inventory('m', 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

describe('phases', () => {
  it('PreSync, objects, PostSync; each hook once; again with the same content: none', async () => {
    const story = await delivered(
      'phases',
      together(
        jobHook('after', 'PostSync'),
        configManifest('config', '1'),
        podHook('pod', 'PreSync'),
        jobHook('before', 'PreSync'),
        configHook('note', 'PreSync'),
      ),
    )
    const made = createsOf(story)
    expect(made.slice(0, 3).sort()).toEqual(['before', 'note', 'pod'])
    expect(made.slice(3)).toEqual(['config', 'after'])
    expect(hooksOf(story, 'm')).toEqual([
      'PostSync after Succeeded 1',
      'PreSync note Succeeded 1',
      'PreSync pod Succeeded 1',
      'PreSync before Succeeded 1',
    ])
    const from = story.fleet.commits.length
    await story.module('m', 'v1', { attempt: 1 })
    await story.pass(700)
    expect(story.writes('edge', from)).toEqual([])
    expect(story.isReady('m')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('PostSync comes after what is no longer in the bundle is gone', async () => {
    const text = together(jobHook('after', 'PostSync'), configManifest('keeps', '1'))
    const story = await delivered('last', together(text, configManifest('leaves', '1')))
    const from = story.fleet.commits.length
    await next(story, 'v2', text)
    expect(await story.until(() => story.isReady('m') && !isThere(story, 'configmaps', 'leaves'))).toBe(true)
    const lines = story.writes('edge', from)
    const [gone, run] = [/^delete configmaps default\/leaves/, /^create jobs.batch default\/after/].map((r) =>
      lines.findIndex((l) => r.test(l)),
    )
    expect(gone).toBeGreaterThanOrEqual(0)
    expect(run).toBeGreaterThan(gone!)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a hook of two phases runs in both', async () => {
    const story = await delivered(
      'both',
      together(jobHook('check', 'PreSync,PostSync'), configManifest('config', '1')),
    )
    expect(createsOf(story)).toEqual(['check', 'config', 'check'])
    expect(hooksOf(story, 'm')).toEqual(['PostSync check Succeeded 1', 'PreSync check Succeeded 1'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('drift is repaired, a gate opens anew, a controller restarts: no hook runs', async () => {
    const story = await delivered(
      'calm',
      together(jobHook('before', 'PreSync'), configManifest('config', '1'), jobHook('after', 'PostSync')),
    )
    await story.pass(60)
    const from = story.fleet.commits.length
    const { client } = story.fleet.clusters.get('edge')!
    const key = { namespace: 'default', name: 'config' }
    must(await story.during(client.patch(configMapKind, key, { data: { value: 'other' } }, USER)))
    await story.pass(30)
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(60)
    expect(story.isReady('m')).toBe(true)
    expect(story.writes('edge', from)).toEqual(
      ['patch configmaps default/config', 'apply configmaps default/config'].slice(1),
    )
  })
})

describe('a PreSync Job that fails', () => {
  const text = together(
    jobHook('migrate', 'PreSync'),
    jobHook('tell', 'SyncFail', { image: 'mail:1' }),
    configManifest('config', '1'),
    deploymentManifest('web', 'web:1'),
  )
  const failing = { image: 'job:1', outcome: 'Fail' } as const

  it('no object is written, what is there for failures runs once, and it says why; retry makes attempt 2', async () => {
    const story = await Story.begin('failing', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(failing)
    await story.config('v1', text)
    await story.module('m', 'v1')
    expect(await story.until(() => hooksOf(story, 'm').length === 2)).toBe(true)
    await story.pass(30)
    expect(hooksOf(story, 'm')).toEqual(['PreSync migrate Failed 1', 'SyncFail tell Succeeded 1'])
    expect(createsOf(story)).toEqual(['migrate', 'tell'])
    expect(unitBlockers(story)).toContain(
      'HookFailed: hook batch/Job default/migrate (PreSync, attempt 1 of 1) failed: BackoffLimitExceeded: Job has reached the specified backoff limit',
    )
    expect(story.inventory('m', 'edge')!.status!.state).toBe('Failed')
    await story.module('m', 'v1', { attempt: 1 })
    await story.pass(700)
    expect(createsOf(story)).toHaveLength(2)
    world.heal(failing)
    await retry(story, 'Failed')
    expect(await story.until(() => story.isReady('m')), unitBlockers(story).join('\n')).toBe(true)
    expect(hooksOf(story, 'm')).toEqual(['PreSync migrate Succeeded 2', 'SyncFail tell Succeeded 1'])
    expect(createsOf(story)).toEqual(['migrate', 'tell', 'migrate', 'config', 'web'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a second failure after a retry is told too', async () => {
    const story = await Story.begin('failing twice', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail(failing)
    await story.config('v1', text)
    await story.module('m', 'v1')
    expect(await story.until(() => hooksOf(story, 'm').includes('SyncFail tell Succeeded 1'))).toBe(true)
    await story.pass(20)
    await retry(story, 'Failed')
    await story.pass(60)
    expect(hooksOf(story, 'm')).toEqual(['PreSync migrate Failed 2', 'SyncFail tell Succeeded 1'])
    expect(createsOf(story)).toEqual(['migrate', 'tell', 'migrate', 'tell'])
  })

  it('is tried again as often as it says, with a growing pause', async () => {
    const story = await Story.begin('retries', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(failing)
    const annotations = { 'lockstep.dev/hook-retries': '2' }
    await story.config(
      'v1',
      together(jobHook('migrate', 'PreSync', { annotations }), configManifest('c', '1')),
    )
    await story.module('m', 'v1')
    const times = (): number[] =>
      story.fleet.commits
        .filter((c) => c.resource === 'jobs.batch' && c.verb === 'create')
        .map((c) => Date.parse(c.next!.metadata.creationTimestamp!))
    expect(await story.until(() => times().length === 2)).toBe(true)
    expect(unitBlockers(story)[0]).toMatch(
      /^WaitingForHook: .* \(PreSync, attempt 1 of 3\) failed: .*; attempt 2 of 3 begins in \d+s$/,
    )
    world.heal(failing)
    expect(await story.until(() => story.isReady('m'), 200), unitBlockers(story).join('\n')).toBe(true)
    expect(hooksOf(story, 'm')[0]).toMatch(/PreSync migrate Succeeded [23]/)
    const [first, second] = times()
    expect(second! - first!).toBeGreaterThanOrEqual(10_000)
  })

  it('hooks that succeeded run again only if that is asked for', async () => {
    const story = await delivered('again', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    const from = story.fleet.commits.length
    await retry(story, 'Failed')
    await story.pass(60)
    expect(createsOf(story, from)).toEqual([])
    await retry(story, 'All')
    await story.pass(60)
    expect(createsOf(story, from)).toEqual(['migrate'])
    expect(story.isReady('m')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('what a hook leaves behind', () => {
  const MADE = { 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' }

  it.each([
    ['nothing said: until its next run', {}, true, true],
    ['HookSucceeded: until all is delivered', MADE, false, true],
    ['HookFailed', { 'argocd.argoproj.io/hook-delete-policy': 'HookFailed' }, true, false],
  ])('%s', async (what, annotations, afterSuccess, afterFailed) => {
    const story = await delivered(
      `policy ${what}`,
      together(jobHook('migrate', 'PreSync', { annotations }), configManifest('c', '1')),
    )
    await story.pass(60)
    expect(isThere(story, 'jobs.batch', 'migrate')).toBe(afterSuccess)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:2', outcome: 'Fail' })
    await next(
      story,
      'v2',
      together(jobHook('migrate', 'PreSync', { annotations, image: 'job:2' }), configManifest('c', '2')),
    )
    expect(await story.until(() => hooksOf(story, 'm').includes('PreSync migrate Failed 1'))).toBe(true)
    await story.pass(60)
    expect(isThere(story, 'jobs.batch', 'migrate')).toBe(afterFailed)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('goes when the bundle has the hook no more, and with the unit', async () => {
    const story = await delivered(
      'stale',
      together(jobHook('migrate', 'PreSync'), jobHook('stays', 'PreSync'), configManifest('c', '1')),
    )
    await next(story, 'v2', together(jobHook('stays', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => !isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await story.pass(20)
    expect(hooksOf(story, 'm')).toEqual(['PreSync stays Succeeded 1'])
    expect(isThere(story, 'jobs.batch', 'stays')).toBe(true)
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect(isThere(story, 'jobs.batch', 'stays')).toBe(false)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a run that does not end by itself', () => {
  it('is deleted when its time is over, and counts as failed', async () => {
    const annotations = { 'lockstep.dev/hook-timeout': '90s' }
    const story = await Story.begin('timeout', ['edge'])
    story.fleet.clusters.get('edge')!.world.fail({ image: 'job:1', outcome: 'NeverReady' })
    await next(story, 'v1', together(jobHook('slow', 'PreSync', { annotations }), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'slow'))).toBe(true)
    await story.pass(80)
    expect(hooksOf(story, 'm')).toEqual(['PreSync slow Running 1'])
    expect(await story.until(() => !isThere(story, 'jobs.batch', 'slow'), 30)).toBe(true)
    await story.pass(5)
    expect(unitBlockers(story)[0]).toMatch(
      /^HookTimeout: hook batch\/Job default\/slow \(PreSync, attempt 1 of 1\) did not end within 90s/,
    )
    expect(createsOf(story)).toEqual(['slow'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('somebody deletes: it has failed', async () => {
    const story = await Story.begin('taken', ['edge'])
    const { world, client } = story.fleet.clusters.get('edge')!
    world.fail({ image: 'job:1', outcome: 'NeverReady' })
    await next(story, 'v1', together(jobHook('slow', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'slow'))).toBe(true)
    await story.pass(10)
    must(await story.during(client.delete(jobKind, { namespace: 'default', name: 'slow' }, USER)))
    expect(await story.until(() => hooksOf(story, 'm').includes('PreSync slow Failed 1'))).toBe(true)
    await story.pass(10)
    expect(unitBlockers(story)[0]).toContain('was deleted before it ended')
    expect(isThere(story, 'jobs.batch', 'slow')).toBe(false)
    expect(createsOf(story)).toEqual(['slow'])
  })

  it.each([
    ['at once', 0],
    ['while nothing is heard of the cluster for a minute', 60],
  ])('its TTL takes it away %s: its result is seen all the same', async (what, silent) => {
    const story = await Story.begin(`ttl ${what}`, ['edge'], { delays: LIFELIKE })
    const { env } = story.fleet
    const text = together(
      jobHook('quick', 'PreSync', { spec: { ttlSecondsAfterFinished: 0 } }),
      configManifest('c', '1'),
    )
    await next(story, 'v1', text)
    expect(await story.until(() => isThere(story, 'jobs.batch', 'quick'))).toBe(true)
    if (silent > 0) {
      env.net.wire('https://edge.test', {
        before: async () => ({ phase: 'connect', detail: 'cut off by the test' }),
      })
      await story.pass(silent)
      env.net.wire('https://edge.test', undefined)
    }
    expect(await story.until(() => story.isReady('m'), 300), unitBlockers(story).join('\n')).toBe(true)
    await story.pass(60)
    expect(hooksOf(story, 'm')).toEqual(['PreSync quick Succeeded 1'])
    expect(createsOf(story)).toEqual(['quick', 'c'])
    expect(isThere(story, 'jobs.batch', 'quick')).toBe(false)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('another revision while a hook runs', () => {
  it('the run ends, then come the new hooks, then the new objects; both results are kept in turn', async () => {
    const slow = { image: 'job:1', outcome: 'NeverReady' } as const
    const story = await Story.begin('overlap', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(slow)
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await next(
      story,
      'v2',
      together(jobHook('migrate', 'PreSync', { image: 'job:2' }), configManifest('c', '2')),
    )
    await story.pass(60)
    expect(createsOf(story)).toEqual(['migrate'])
    expect(hooksOf(story, 'm')).toEqual(['PreSync migrate Running 1'])
    expect(unitBlockers(story)[0]).toMatch(
      /^WaitingForHook: .* runs for what was delivered before: it ends first/,
    )
    world.heal(slow)
    expect(await story.until(() => story.isReady('m')), unitBlockers(story).join('\n')).toBe(true)
    expect(createsOf(story)).toEqual(['migrate', 'migrate', 'c'])
    expect(dataOf(story, 'c')).toBe('2')
    const ends = story.fleet.commits.flatMap((x) => {
      const hook = (x.next as { spec?: { hooks?: { state: string; serial: number }[] } } | undefined)?.spec
        ?.hooks?.[0]
      return x.resource === 'inventories.lockstep.dev' && hook ? [`${hook.serial} ${hook.state}`] : []
    })
    expect([...new Set(ends)]).toEqual(['1 Running', '1 Succeeded', '2 Running', '2 Succeeded'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what ran for content that nobody wants any more goes with its hook', async () => {
    const slow = { image: 'job:1', outcome: 'NeverReady' } as const
    const story = await Story.begin('dropped', ['edge'])
    const { world } = story.fleet.clusters.get('edge')!
    world.fail(slow)
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await next(story, 'v2', configManifest('c', '2'))
    await story.pass(30)
    expect(isThere(story, 'configmaps', 'c')).toBe(false)
    world.heal(slow)
    expect(await story.until(() => story.isReady('m') && !isThere(story, 'jobs.batch', 'migrate'))).toBe(true)
    await story.pass(20)
    expect(hooksOf(story, 'm')).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('an object that has the name of a hook', () => {
  it('and is not ours is not touched, and is said', async () => {
    const story = await Story.begin('name taken', ['edge'])
    const { client, api } = story.fleet.clusters.get('edge')!
    const theirs = JSON.parse(jobHook('migrate', undefined, { spec: { suspend: true } }))
    must(await story.during(client.create(jobKind, theirs, USER)))
    const before = api.local.get('jobs.batch', 'default', 'migrate')!.metadata.resourceVersion
    await next(story, 'v1', together(jobHook('migrate', 'PreSync'), configManifest('c', '1')))
    expect(await story.until(() => unitBlockers(story)[0]?.startsWith('NotOwned') === true)).toBe(true)
    await story.pass(700)
    expect(api.local.get('jobs.batch', 'default', 'migrate')!.metadata.resourceVersion).toBe(before)
    expect(createsOf(story)).toEqual([])
    must(await story.during(client.delete(jobKind, { namespace: 'default', name: 'migrate' }, USER)))
    await retry(story, 'Failed')
    expect(await story.until(() => story.isReady('m'), 400), unitBlockers(story).join('\n')).toBe(true)
  })
})

describe('hooks of Helm', () => {
  const hook = (name: string, when: string, weight?: string) =>
    jobHook(name, undefined, {
      annotations: { 'helm.sh/hook': when, ...(weight ? { 'helm.sh/hook-weight': weight } : {}) },
    })

  it('one after another by weight, then name', async () => {
    const story = await delivered(
      'weights',
      together(
        hook('b', 'pre-install', '5'),
        hook('c', 'pre-install', '-1'),
        hook('a', 'pre-install', '-1'),
        configManifest('config', '1'),
      ),
    )
    expect(createsOf(story)).toEqual(['a', 'c', 'b', 'config'])
  })

  it('install at the first delivery only, upgrade at later ones, rollback on the way back', async () => {
    const text = (v: string) =>
      together(
        hook('install', 'pre-install'),
        hook('upgrade', 'pre-upgrade'),
        hook('rollback', 'pre-rollback'),
        configManifest('config', v),
      )
    const story = await Story.begin('events', ['edge'])
    for (const v of ['v1', 'v2']) await story.config(v, text(v))
    const deliver = async (v: string): Promise<string[]> => {
      const from = story.fleet.commits.length
      await story.module('m', v)
      expect(await story.until(() => story.isReady('m') && dataOf(story, 'config') === v)).toBe(true)
      await story.pass(5)
      return createsOf(story, from)
    }
    expect(await deliver('v1')).toEqual(['install', 'config'])
    expect(await deliver('v2')).toEqual(['upgrade'])
    expect(await deliver('v1')).toEqual(['rollback'])
    expect(await deliver('v2')).toEqual(['upgrade'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of an object that is one of Argo CD too, that of Argo CD counts, and both policies', async () => {
    const story = await delivered(
      'two dialects',
      together(
        jobHook('seed', 'Sync', {
          annotations: {
            'helm.sh/hook': 'post-install',
            'helm.sh/hook-delete-policy': 'hook-succeeded',
            'argocd.argoproj.io/hook-delete-policy': 'HookFailed',
          },
        }),
        configManifest('config', '1'),
      ),
    )
    expect(story.inventory('m', 'edge')!.spec.hooks?.map((h) => [h.phase, h.policy])).toEqual([
      ['Sync', ['HookFailed', 'HookSucceeded']],
    ])
    await story.pass(60)
    expect(isThere(story, 'jobs.batch', 'seed')).toBe(false)
  })
})

describe('a unit that is deleted', () => {
  const text = together(
    jobHook('backup', 'PreDelete'),
    configManifest('config', '1'),
    jobHook('goodbye', 'PostDelete'),
  )

  it('hooks before its objects go, and after', async () => {
    const story = await delivered('deleted', text)
    expect(createsOf(story)).toEqual(['config'])
    const from = story.fleet.commits.length
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 200)).toBe(true)
    const order = [
      'create jobs.batch default/backup',
      'delete configmaps default/config',
      'create jobs.batch default/goodbye',
    ]
    expect(story.writes('edge', from).filter((w) => order.includes(w))).toEqual(order)
    expect([isThere(story, 'jobs.batch', 'backup'), isThere(story, 'jobs.batch', 'goodbye')]).toEqual([
      false,
      false,
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('one that fails holds everything; retry, and it goes on', async () => {
    const story = await delivered('held', text)
    const { world } = story.fleet.clusters.get('edge')!
    const failing = { workload: 'backup', outcome: 'Fail' } as const
    world.fail(failing)
    await story.deleteModule('m')
    expect(await story.until(() => unitBlockers(story)[0]?.startsWith('HookFailed') === true)).toBe(true)
    await story.pass(700)
    expect(isThere(story, 'configmaps', 'config')).toBe(true)
    expect(createsOf(story)).toEqual(['config', 'backup'])
    world.heal(failing)
    await retry(story, 'Failed')
    expect(await story.until(() => story.inventories.length === 0, 200), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story)).toEqual(['config', 'backup', 'backup', 'goodbye'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('Orphan: no hook runs, and what hooks left behind stays, without our marks', async () => {
    const story = await delivered('orphan', together(text, jobHook('migrate', 'PreSync')), {
      apply: { deletionPolicy: 'Orphan' },
    })
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 200)).toBe(true)
    expect(createsOf(story)).toEqual(['migrate', 'config'])
    const left = story.live('edge', 'jobs.batch', 'migrate')!
    expect(left.metadata.finalizers ?? []).toEqual([])
    expect(left.metadata.labels ?? {}).not.toHaveProperty('lockstep.dev/unit')
  })

  it('its Namespace stays until the hooks after it have run there', async () => {
    const inShop = (s: string) =>
      s.replaceAll('"default"', '"shop"').replaceAll('namespace: default', 'namespace: shop')
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
    const story = await delivered('namespace', together(namespace, inShop(text)))
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0, 300), unitBlockers(story).join('\n')).toBe(
      true,
    )
    expect(createsOf(story)).toEqual(['shop', 'config', 'backup', 'goodbye'])
    expect(story.fleet.clusters.get('edge')!.api.local.get('namespaces', '', 'shop')).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
