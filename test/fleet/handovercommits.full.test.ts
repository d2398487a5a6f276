/** A claim that one commit moves between two Modules of a repository; and one that is removed before another Module has it. */
import { describe, expect, it } from 'vitest'
import { eventKind, type KubernetesEvent } from '../../packages/kube/src/kinds/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import {
  claimText,
  condition,
  deletesOn,
  holdersOf,
  inShop,
  namespaceText,
  type Place,
  together,
  uidOf,
} from './handoverstory.ts'
import { PolledRepository } from './polledrepository.ts'
import { clientOf, must, NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

const CLAIM: Place = ['persistentvolumeclaims', 'shop', 'data']
const OF_A = together(namespaceText, inShop('of-a', '1'))
const OF_B = inShop('of-b', '1')
const BEFORE = { a: together(OF_A, claimText), b: OF_B, c: inShop('of-c', '1') }
const AFTER = { ...BEFORE, a: OF_A, b: together(OF_B, claimText) }
const DECLARED = { apply: { takeOverFrom: [{ kind: 'Module', name: 'a' }] } }

const gitAt = (path: string, branch = 'main') => ({
  git: { url: 'https://git.test/p', path, ref: { branch } },
})

/** `a` and `b` at the first commit of one repository; `a` has the claim. */
async function begun(
  name: string,
  options: object = {},
): Promise<{ story: Story; repository: PolledRepository }> {
  const story = await Story.begin(name, ['c1'])
  story.manager.stop()
  const repository = new PolledRepository(BEFORE)
  const { env } = story.fleet
  story.manager = startManager(env, clientOf(env, 'hub', 'lockstep-controller'), { sources: repository.open })
  await story.module('a', gitAt('a'))
  expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
  await story.module('b', gitAt('b'), options)
  expect(await story.until(() => story.isReady('b'), 60)).toBe(true)
  return { story, repository }
}

const isMoved = (story: Story): boolean =>
  holdersOf(story, 'c1', [CLAIM])[0] === 'm.platform.b' && story.isReady('a') && story.isReady('b')

const WAITS =
  'WaitingForClaims: cannot delete PersistentVolumeClaim shop/data on c1 yet: the spec of Module b is not published'

describe('one commit moves a claim from a to b, and their polls are 4 minutes apart (acceptance 3)', () => {
  for (const isDeclared of [false, true]) {
    const options = isDeclared ? DECLARED : {}
    const how = `${isDeclared ? '' : 'not '}declared`

    it(`a polls first, ${how}: its deletion waits for the commit at b`, async () => {
      const { story, repository } = await begun(`commit ab ${isDeclared}`, options)
      const uid = uidOf(story, 'c1', CLAIM)
      const from = story.fleet.commits.length
      repository.push(AFTER)
      repository.poll('a')
      await story.pass(240)
      expect([uidOf(story, 'c1', CLAIM), holdersOf(story, 'c1', [CLAIM])]).toEqual([uid, ['m.platform.a']])
      expect(story.blockers('a')).toEqual([WAITS])
      repository.poll('b')
      expect(await story.until(() => isMoved(story), 30)).toBe(true)
      expect([uidOf(story, 'c1', CLAIM), deletesOn(story, 'c1', from)]).toEqual([uid, []])
      expect(story.fleet.oracles.violations).toEqual([])
    })

    it(`b polls first, ${how}`, async () => {
      const { story, repository } = await begun(`commit ba ${isDeclared}`, options)
      const uid = uidOf(story, 'c1', CLAIM)
      const from = story.fleet.commits.length
      repository.push(AFTER)
      repository.poll('b')
      await story.pass(240)
      const holder = isDeclared ? 'm.platform.b' : 'm.platform.a'
      expect([uidOf(story, 'c1', CLAIM), holdersOf(story, 'c1', [CLAIM])]).toEqual([uid, [holder]])
      if (isDeclared) {
        expect(story.isReady('b')).toBe(true)
        expect(condition(story, 'a', 'HandedOver')).toBe(
          '1 object on c1 is owned by b (its spec.apply.takeOverFrom)',
        )
      } else
        expect(story.blockers('b')).toEqual([
          expect.stringMatching(
            /^OwnedByAnother: PersistentVolumeClaim shop\/data on c1 belongs to Module platform\/a; /,
          ),
        ])
      repository.poll('a')
      expect(await story.until(() => isMoved(story), 60)).toBe(true)
      expect([uidOf(story, 'c1', CLAIM), deletesOn(story, 'c1', from)]).toEqual([uid, []])
      expect(condition(story, 'a', 'HandedOver')).toBeUndefined()
      expect(story.fleet.oracles.violations).toEqual([])
    })
  }

  it('at most 10 minutes; a Module of another branch is not waited for', async () => {
    const { story, repository } = await begun('commit never')
    await story.module('c', gitAt('c', 'next'))
    expect(await story.until(() => story.isReady('c'), 60)).toBe(true)
    repository.push({ ...BEFORE, a: OF_A })
    repository.poll('a')
    await story.pass(570)
    expect(story.blockers('a')).toEqual([WAITS])
    expect(await story.until(() => uidOf(story, 'c1', CLAIM) === undefined, 60)).toBe(true)
    expect(await story.until(() => story.isReady('a'), 30)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a claim that is removed from a 5 s before b has it: no claim protects it in between', () => {
  for (const isDeclared of [false, true])
    it(`it is deleted and created again, ${isDeclared ? '' : 'not '}declared; as the event reports`, async () => {
      const story = await Story.begin(`delete first ${isDeclared}`, ['c1'])
      await story.config('a', BEFORE.a)
      await story.config('b', BEFORE.b)
      await story.module('a', 'a')
      expect(await story.until(() => story.isReady('a'))).toBe(true)
      await story.module('b', 'b', isDeclared ? DECLARED : {})
      expect(await story.until(() => story.isReady('b'))).toBe(true)
      const uid = uidOf(story, 'c1', CLAIM)
      const from = story.fleet.commits.length
      await story.config('a', AFTER.a)
      await story.pass(5)
      expect(uidOf(story, 'c1', CLAIM)).toBeUndefined()
      expect(story.isReady('a')).toBe(true)
      await story.config('b', AFTER.b)
      expect(await story.until(() => isMoved(story), 60)).toBe(true)
      expect(uidOf(story, 'c1', CLAIM)).not.toBe(uid)
      expect(deletesOn(story, 'c1', from)).toEqual(['delete persistentvolumeclaims shop/data'])
      expect(await eventsOf(story)).toEqual([
        'm.a.c1 Pruned: PersistentVolumeClaim shop/data: deleted on c1, since it is not in the bundle any more',
      ])
      expect([condition(story, 'a', 'HandedOver'), condition(story, 'b', 'HandoverPending')]).toEqual([
        undefined,
        undefined,
      ])
      expect(story.fleet.oracles.violations).toEqual([])
    })
})

it('a revision that the hub cannot store yet protects the claim that it has', async () => {
  const story = await Story.begin('unstored', ['c1'])
  for (const name of ['a', 'b'] as const) {
    await story.config(name, BEFORE[name])
    await story.module(name, name)
    expect(await story.until(() => story.isReady(name))).toBe(true)
  }
  const uid = uidOf(story, 'c1', CLAIM)
  let isRefusing = true
  story.fleet.env.net.wire('https://hub.test', {
    before: async ({ method, path, body = '' }) =>
      isRefusing && method === 'POST' && path.includes('/controllerrevisions') && body.includes('of-b')
        ? { phase: 'connect', detail: 'connect ETIMEDOUT' }
        : undefined,
  })
  await story.config('b', AFTER.b)
  await story.config('a', AFTER.a)
  await story.pass(120)
  expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
  expect(story.blockers('a')).toEqual([WAITS])
  isRefusing = false
  expect(await story.until(() => isMoved(story), 120)).toBe(true)
  expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
  expect(story.fleet.oracles.violations).toEqual([])
})

/** Events that mention the claim, in the order of their time. */
async function eventsOf(story: Story): Promise<string[]> {
  const items: KubernetesEvent[] = []
  const read = { purpose: 'user', namespace: NAMESPACE, each: (e: KubernetesEvent) => items.push(e) } as const
  must(await story.during(story.fleet.hub.list(eventKind, read)))
  const time = (e: KubernetesEvent) => e.eventTime ?? ''
  return items
    .filter((e) => e.note?.includes('PersistentVolumeClaim shop/data'))
    .sort((a, b) => (time(a) < time(b) ? -1 : 1))
    .map((e) => `${e.regarding?.name} ${e.reason}: ${e.note}`)
}
