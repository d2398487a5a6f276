/** Objects that are made anew since a field cannot change; whoever does that may die at any write. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { spawn } from '../simulation/process.ts'
import { must } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const REPLACE = { apply: { replaceImmutable: true } }
/** A ConfigMap that cannot change has no controller that would write to it meanwhile. */
const sealed = (name: string, value: string): string => `${configManifest(name, value)}immutable: true\n`

const dataOf = (story: Story, name: string): unknown =>
  (story.live('edge', 'configmaps', name)?.data as Record<string, unknown> | undefined)?.value

async function delivered(name: string, apply: object = REPLACE): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('v1', sealed('x', '1'))
  await story.config('v2', sealed('x', '2'))
  await story.module('x', 'v1', apply)
  expect(await story.until(() => story.isReady('x'))).toBe(true)
  return story
}

const reasonsOf = (story: Story): (string | undefined)[] =>
  (story.inventory('x', 'edge')?.status?.blockers ?? []).map((b) => b.reason)

describe('an object that cannot change', () => {
  it('is deleted and created again once it is announced, once; the same content again does nothing', async () => {
    const story = await delivered('replaced')
    const from = story.fleet.commits.length
    const before = story.live('edge', 'configmaps', 'x')!.metadata.uid
    await story.module('x', 'v2', REPLACE)
    expect(await story.until(() => story.isReady('x') && dataOf(story, 'x') === '2')).toBe(true)
    expect(story.writes('edge', from)).toEqual(['delete configmaps default/x', 'create configmaps default/x'])
    expect(story.live('edge', 'configmaps', 'x')!.metadata.uid).not.toBe(before)
    await story.pass(60)
    expect(story.inventory('x', 'edge')!.spec.intents).toBeUndefined()
    await story.module('x', 'v2', { ...REPLACE, attempt: 1 })
    await story.pass(700)
    expect(story.isReady('x')).toBe(true)
    expect(story.writes('edge', from)).toHaveLength(2)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each([
    ['is made anew', REPLACE, '2', undefined],
    ['is refused, and asked again no sooner than in 5 minutes', {}, '1', 'ImmutableField'],
  ])('and that somebody took our label off %s', async (what, apply, value, reason) => {
    const story = await delivered(`unlabelled ${what}`, apply)
    const { client } = story.fleet.clusters.get('edge')!
    const key = { namespace: 'default', name: 'x' }
    story.manager.stop()
    const unlabel = { metadata: { labels: { 'lockstep.dev/unit': null } } }
    must(await story.during(client.patch(configMapKind, key, unlabel, USER)))
    let requests = 0
    story.fleet.env.net.wire('https://edge.test', {
      async before({ path }) {
        if (path.includes('/configmaps/x')) requests++
        return undefined
      },
    })
    story.manager = story.fleet.startController()
    await story.module('x', 'v2', apply)
    await story.pass(250)
    expect([dataOf(story, 'x'), reasonsOf(story)[0]]).toEqual([value, reason])
    expect(requests).toBeLessThan(15)
  })

  it('stays as it is without the setting, and the setting is named', async () => {
    const story = await delivered('kept', {})
    const from = story.fleet.commits.length
    await story.module('x', 'v2')
    expect(await story.until(() => reasonsOf(story).includes('ImmutableField'))).toBe(true)
    expect(story.inventory('x', 'edge')!.status!.blockers![0]!.message).toMatch(
      /^ConfigMap default\/x: data: .*field is immutable.*; set spec\.apply\.replaceImmutable/,
    )
    await story.pass(400)
    expect(story.writes('edge', from)).toEqual([])
    await story.module('x', 'v2', REPLACE)
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    expect(dataOf(story, 'x')).toBe('2')
  })

  it('that somebody makes another each time is made anew once for its content', async () => {
    const story = await delivered('once')
    await story.module('x', 'v2', REPLACE)
    expect(await story.until(() => story.isReady('x') && dataOf(story, 'x') === '2')).toBe(true)
    await story.pass(20)
    const { client } = story.fleet.clusters.get('edge')!
    const live = story.live('edge', 'configmaps', 'x')!
    story.manager.stop()
    const { labels, annotations } = live.metadata
    must(await story.during(client.delete(configMapKind, live.metadata as never, USER)))
    const theirs = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      immutable: true,
      data: { value: 'theirs' },
      metadata: { name: 'x', namespace: 'default', labels, annotations },
    } as unknown as KubeObject
    must(await story.during(client.create(configMapKind, theirs as never, USER)))
    story.manager = story.fleet.startController()
    expect(await story.until(() => reasonsOf(story).includes('ImmutableField'))).toBe(true)
    expect(story.inventory('x', 'edge')!.status!.blockers![0]!.message).toContain(
      'recreated once for this content',
    )
    await story.pass(1000)
    expect(dataOf(story, 'x')).toBe('theirs')
  })

  it('is not deleted if its successor would be refused', async () => {
    const story = await Story.begin('refused', ['edge'])
    await story.config('v1', deploymentManifest('x', 'x:1'))
    await story.config(
      'v2',
      deploymentManifest('x', 'x:1').replace('matchLabels: {app: x}', 'matchLabels: {app: z}'),
    )
    await story.module('x', 'v1', REPLACE)
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    const from = story.fleet.commits.length
    await story.module('x', 'v2', REPLACE)
    expect(await story.until(() => reasonsOf(story).includes('ApplyFailed'))).toBe(true)
    const { message } = story.inventory('x', 'edge')!.status!.blockers![0]!
    expect(message).toMatch(/^Deployment default\/x: spec\.template\.metadata\.labels: .*does not match/)
    expect(story.writes('edge', from)).toEqual([])
  })
})

describe('killed while it makes an object anew', () => {
  /** A controller that dies at its n-th write; its successor lives. */
  async function interrupted(name: string, write: number, after: boolean) {
    const story = await delivered(name)
    story.manager.stop()
    const start = (what: string, crash?: { write: number; after: boolean }) => {
      const process = spawn(story.fleet.env, what, {
        delayMs: 1,
        lossRate: 0,
        dropRate: 0,
        ...(crash ? { crash } : {}),
      })
      const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
      story.manager = startManager(
        process.env,
        createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
      )
      return process
    }
    const from = story.fleet.commits.length
    const first = start('first', { write, after })
    await story.module('x', 'v2', REPLACE)
    const hasDied = Number.isFinite(write) && (await story.until(() => !first.alive, 30))
    return { story, from, hasDied, start }
  }

  it('at any write: the same nonce, one delete, one create', async () => {
    const between: string[] = []
    let deaths = 0
    for (const after of [false, true]) {
      for (let write = 1; ; write++) {
        const { story, from, hasDied, start } = await interrupted(`crash-${write}-${after}`, write, after)
        if (!hasDied) break
        deaths++
        const isGone = story.live('edge', 'configmaps', 'x') === undefined
        const announced = story.fleet.commits.findLast((c) => c.resource === 'inventories.lockstep.dev')!
          .next as never
        const nonce = nonceOf(announced)
        start('second')
        expect(await story.until(() => story.isReady('x') && dataOf(story, 'x') === '2'), `${write}`).toBe(
          true,
        )
        expect(story.writes('edge', from).filter((w) => !w.startsWith('apply'))).toEqual([
          'delete configmaps default/x',
          'create configmaps default/x',
        ])
        if (isGone) {
          const made = story.fleet.commits.findLast((c) => c.cluster === 'edge' && c.next && !c.old)
          expect(made?.next?.metadata.annotations?.['lockstep.dev/nonce']).toBe(nonce)
          between.push(nonce!)
        }
        expect(story.fleet.oracles.violations).toEqual([])
      }
    }
    expect(deaths).toBeGreaterThan(10)
    expect(between.length).toBeGreaterThanOrEqual(2)
  }, 120_000)

  it('and somebody makes another one of its name meanwhile: NotOwned, and not a field of it is touched', async () => {
    const { story, start } = await interrupted('stolen', Number.POSITIVE_INFINITY, false)
    const { api, client } = story.fleet.clusters.get('edge')!
    story.fleet.env.net.wire('https://edge.test', {
      async before(r) {
        const isCreate = r.method === 'PATCH' && api.local.get('configmaps', 'default', 'x') === undefined
        return isCreate ? { phase: 'connect', detail: 'cut off by the test' } : undefined
      },
    })
    expect(await story.until(() => story.live('edge', 'configmaps', 'x') === undefined, 30)).toBe(true)
    story.manager.stop()
    const theirs = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { value: 'theirs' },
      metadata: { name: 'x', namespace: 'default' },
    }
    const made = must(await story.during(client.create(configMapKind, theirs, USER)))
    start('second')
    expect(await story.until(() => reasonsOf(story).includes('NotOwned'))).toBe(true)
    await story.pass(400)
    expect(story.live('edge', 'configmaps', 'x')!.metadata.resourceVersion).toBe(
      made.metadata.resourceVersion,
    )
    must(await story.during(client.delete(configMapKind, theirs.metadata, USER)))
    story.fleet.env.net.wire('https://edge.test', undefined)
    const isDelivered = () => story.inventory('x', 'edge')?.status?.state === 'Ready'
    expect(await story.until(isDelivered, 400)).toBe(true)
    expect(dataOf(story, 'x')).toBe('2')
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

const nonceOf = (inventory: {
  spec: { intents?: { nonce: string; replaces?: object }[] }
}): string | undefined => inventory.spec.intents?.find((i) => i.replaces)?.nonce
