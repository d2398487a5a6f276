/** Hooks: when they run, what follows, and what their end means. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { configHook, createsOf, hooksOf, jobHook, podHook, together } from './hookspecs.ts'
import { delivered, isThere, next, retry, USER, unitBlockers } from './hookstory.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

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
      'HookFailed: hook Job default/migrate (PreSync, attempt 1 of 1) failed: BackoffLimitExceeded: Job has reached the specified backoff limit',
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
      /^WaitingForHook: .* \(PreSync, attempt 1 of 3\) failed: .*; attempt 2 starts in \d+s$/,
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
