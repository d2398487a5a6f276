/** A unit leaves, and what creates have come to that somebody sent before is not known: nothing of them stays behind. */
import { describe, expect, it } from 'vitest'
import type { NetFailure, NetRequest } from '../../packages/kube/src/env/net.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { liveOf, marked, publish, ready, said } from './single.ts'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const GONE: NetFailure = { phase: 'receive', detail: 'the answer is lost' }
const LIST = '/api/v1/configmaps?'
const SELECTED = 'labelSelector='
/** Less than a request may take. */
const UNDER_WAY_S = 10

const isCreate = ({ method, path }: NetRequest): boolean =>
  method === 'PATCH' && path.includes('/configmaps/x?')
const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
/** In a Namespace of its own, and to be kept. */
const KEPT = said('x', '1', 'argocd.argoproj.io/sync-options', 'Delete=false').replace('default', 'shop')

/** A promise, and what settles it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}

/** `x` is created, and whoever has sent that is gone before the answer; then the module is deleted. The request comes back. */
async function unanswered(
  name: string,
  deletionPolicy: string,
): Promise<{ story: Story; create: NetRequest }> {
  const story = await Story.begin(name, ['edge'])
  return {
    story,
    create: await withoutAnswer(story, configManifest('x', '1'), { apply: { deletionPolicy } }),
  }
}

async function withoutAnswer(
  story: Story,
  texts: string | readonly string[],
  more: ModuleOptions = {},
): Promise<NetRequest> {
  let create: NetRequest | undefined
  story.fleet.env.net.wire('https://edge.test', {
    before: async () => undefined,
    after: async (r) => {
      if (!isCreate(r)) return undefined
      create = r
      story.manager.stop()
      return GONE
    },
  })
  await publish(story, texts, more)
  story.fleet.env.net.wire('https://edge.test', undefined)
  await story.deleteModule('m')
  return create!
}

const isGone = (story: Story): boolean => story.fleet.inventories().length === 0

async function expectGone(story: Story): Promise<void> {
  expect(await story.until(() => isGone(story), 120)).toBe(true)
  await story.pass(60)
  expect(story.fleet.oracles.violations).toEqual([])
}

/** The request arrives, once more, and makes its object. */
async function arrives(story: Story, request: NetRequest): Promise<void> {
  const sent = story.fleet.env.net.connect({ url: 'https://edge.test' }, 'operator').request(request)
  expect(must(await story.during(sent)).status).toBe(201)
}

/** All ConfigMaps are seen between the first request of the removal and its answer; what has a list like `before` is by then. */
function seenWhileAsked(story: Story, before?: string): void {
  const [isAsked, isListed, isBefore] = [signal(), signal(), signal()]
  if (before === undefined) isBefore.give()
  story.fleet.env.net.wire('https://edge.test', {
    async before({ method, path }) {
      if (method !== 'GET' || !path.includes(SELECTED)) {
        if (path.includes('lockstep-stamp-m.platform.m')) {
          await isBefore.given
          isAsked.give()
          await isListed.given
        }
        return undefined
      }
      const isWatch = path.includes('watch=true')
      if (isWatch && before !== undefined && path.startsWith(before)) isBefore.give()
      if (isWatch && path.startsWith(LIST)) isListed.give()
      if (!isWatch && path.startsWith(LIST)) await isAsked.given
      return undefined
    },
    after: async () => undefined,
  })
}

describe('a unit that leaves', () => {
  it.each([
    ['Delete', undefined],
    ['Orphan', false],
  ])('%s: what can be seen only while that is decided is looked for again', async (policy, isMarked) => {
    const { story } = await unanswered(`seen late ${policy}`, policy)
    seenWhileAsked(story)
    story.manager = story.fleet.startController()
    await expectGone(story)
    const left = liveOf(story)
    expect(left && marked(left)).toBe(isMarked)
  })

  it('what is in a Namespace is judged before that goes: it may be to be kept', async () => {
    const story = await Story.begin('seen late, kept', ['edge'])
    await story.config('near', namespace('near'))
    await story.module('near', 'near')
    await publish(story, namespace('shop'))
    await ready(story)
    await withoutAnswer(story, [namespace('shop'), KEPT])
    seenWhileAsked(story, '/api/v1/namespaces?')
    story.manager = story.fleet.startController()
    expect(await story.until(() => story.inventory('m', 'edge') === undefined, 120)).toBe(true)
    const kept = story.live('edge', 'configmaps', 'x', 'shop')
    expect([kept?.data, marked(kept)]).toEqual([{ value: '1' }, false])
  })

  it('what a second create has made again is deleted again', async () => {
    const { story, create } = await unanswered('made again', 'Delete')
    story.manager = story.fleet.startController()
    expect(await story.until(() => liveOf(story) === undefined)).toBe(true)
    await story.pass(UNDER_WAY_S)
    await arrives(story, create)
    await expectGone(story)
    expect(liveOf(story)).toBeUndefined()
  })

  it('what a second create has made again after it was let go of is let go of', async () => {
    const { story, create } = await unanswered('made after', 'Orphan')
    story.manager = story.fleet.startController()
    expect(await story.until(() => !marked(liveOf(story)))).toBe(true)
    await story.pass(UNDER_WAY_S)
    story.fleet.clusters.get('edge')!.api.local.delete('configmaps', 'default', 'x', 'user')
    await arrives(story, create)
    await expectGone(story)
    expect([liveOf(story) !== undefined, marked(liveOf(story))]).toEqual([true, false])
  })

  it('what arrives while the watch of its kind says nothing is asked for by name', async () => {
    const story = await Story.begin('silent', ['edge'])
    const create = await withoutAnswer(story, configManifest('x', '1'))
    story.fleet.clusters.get('edge')!.api.local.delete('configmaps', 'default', 'x', 'user')
    const held = new HeldWatches()
    story.manager = held.startController(story.fleet)
    expect(await story.until(() => held.requests.includes('GET /api/v1/configmaps'))).toBe(true)
    await story.pass(1)
    held.hold('configmaps')
    await arrives(story, create)
    expect(await story.until(() => liveOf(story) === undefined, 60)).toBe(true)
    held.hold()
    await expectGone(story)
    expect(liveOf(story)).toBeUndefined()
  })
})
