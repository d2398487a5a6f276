/** Claims that a delete waits for. */
import { describe, expect, it } from 'vitest'
import { dropClaims } from './formerdata.ts'
import {
  claimText,
  deletesOn,
  hold,
  holdersOf,
  inShop,
  namespaceText,
  type Place,
  release,
  settings,
  together,
  uidOf,
  uidsOf,
} from './handoverstory.ts'
import { Story } from './steps.ts'

const CLAIM: Place = ['persistentvolumeclaims', 'shop', 'data']
const withClaim = (name: string) => together(namespaceText, claimText, inShop(name, '1'))
const withoutClaim = (name: string) => together(namespaceText, inShop(name, '1'))

/** `a` has a claim, `b` something in the same Namespace. */
async function begun(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c1'])
  await story.config('a', withClaim('of-a'))
  await story.config('b', inShop('of-b', '1'))
  await story.module('a', 'a')
  expect(await story.until(() => story.isReady('a'))).toBe(true)
  await story.module('b', 'b')
  expect(await story.until(() => story.isReady('b'))).toBe(true)
  return story
}

const DECLARED = { apply: { takeOverFrom: [{ kind: 'Module', name: 'a' }] } }

describe('a claim moves from one Module to another (acceptance 3)', () => {
  for (const isDeclared of [false, true])
    for (const order of ['ab', 'ba'])
      for (const seconds of order === 'ab' ? [0] : [0, 5])
        it(`${order}, ${seconds} s apart, ${isDeclared ? '' : 'not '}declared`, async () => {
          const story = await begun(`moved ${order} ${seconds} ${isDeclared}`)
          const uid = uidOf(story, 'c1', CLAIM)
          const from = story.fleet.commits.length
          const texts: Record<string, string> = {
            a: withoutClaim('of-a'),
            b: together(inShop('of-b', '1'), claimText),
          }
          for (const module of order) {
            await story.config(module, texts[module]!)
            if (module === 'b' && isDeclared) await story.module('b', 'b', DECLARED)
            if (module === order[0]) await story.pass(seconds)
          }
          const isMoved = () =>
            holdersOf(story, 'c1', [CLAIM])[0] === 'm.platform.b' && story.isReady('a') && story.isReady('b')
          expect(await story.until(isMoved, 60)).toBe(true)
          expect([uidOf(story, 'c1', CLAIM), deletesOn(story, 'c1', from)]).toEqual([uid, []])
          expect(story.fleet.oracles.violations).toEqual([])
        })
})

describe('a delete waits for claims', () => {
  it('of a Module whose spec is neither published nor refused, at most ten minutes', async () => {
    const story = await begun('unpublished')
    await story.module('late', 'not-there')
    await story.config('a', withoutClaim('of-a'))
    await story.pass(60)
    expect(uidOf(story, 'c1', CLAIM)).toBeDefined()
    expect(story.blockers('a')).toEqual([
      'WaitingForClaims: cannot delete PersistentVolumeClaim shop/data on c1 yet: the spec of Module late is not published',
    ])
    await story.pass(480)
    expect(uidOf(story, 'c1', CLAIM)).toBeDefined()
    expect(await story.until(() => uidOf(story, 'c1', CLAIM) === undefined, 120)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('and ends with its publication, which may be the claim itself', async () => {
    const story = await begun('published late')
    const uid = uidOf(story, 'c1', CLAIM)
    await story.module('late', 'not-there')
    await story.config('a', withoutClaim('of-a'))
    await story.pass(60)
    await story.config('not-there', claimText)
    const isMoved = () => holdersOf(story, 'c1', [CLAIM])[0] === 'm.platform.late' && story.isReady('late')
    expect(await story.until(isMoved, 30)).toBe(true)
    expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of a name whose binding has no value', async () => {
    const story = await begun('unbound')
    await story.config('late', claimText.replace('name: data', 'name: $(NAME)'))
    const cluster = { label: 'claim' }
    await story.module('late', 'late', { bindings: [{ name: 'NAME', cluster }] })
    await story.pass(10)
    await story.config('a', withoutClaim('of-a'))
    await story.pass(1200)
    expect(story.blockers('a')).toEqual([
      'WaitingForClaims: cannot delete PersistentVolumeClaim shop/data on c1 yet: $(NAME) of Module late has no value',
    ])
    expect(uidOf(story, 'c1', CLAIM)).toBeDefined()
    await story.deleteModule('late')
    expect(await story.until(() => uidOf(story, 'c1', CLAIM) === undefined, 30)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is handed over by the value that the name has on the cluster', async () => {
    const story = await begun('bound')
    const uid = uidOf(story, 'c1', CLAIM)
    await story.config('late', claimText.replace('name: data', 'name: $(NAME)'))
    const bindings = [{ name: 'NAME', value: 'data' }]
    await story.module('late', 'late', { bindings, dependsOn: ['none'] })
    await story.pass(10)
    await story.config('a', withoutClaim('of-a'))
    expect(await story.until(() => holdersOf(story, 'c1', [CLAIM])[0] === 'm.platform.late', 30)).toBe(true)
    expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
    expect(story.isReady('a')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('stays while another revision of its own has it, and holds up nothing', async () => {
    const story = await begun('own revision')
    const uid = uidOf(story, 'c1', CLAIM)
    await story.module('late', 'not-there')
    await story.config('a', withoutClaim('of-a'))
    await story.pass(30)
    await hold(story, 'a', { action: 'Pause' })
    await story.pass(5)
    await story.config('a', withClaim('of-a'))
    await story.pass(5)
    await story.deleteModule('late')
    await story.pass(60)
    expect(story.inventory('a', 'c1')?.status?.state).toBe('Ready')
    expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
    await release(story, 'a')
    expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
    expect(uidOf(story, 'c1', CLAIM)).toBe(uid)
  })
})

it('an object that is only created where it is missing stays without an owner', async () => {
  const story = await begun('unowned')
  const seed = inShop('seed', '1').replace(
    'metadata: {',
    'metadata: {annotations: {lockstep.dev/apply: IfNotPresent}, ',
  )
  await story.config('a', together(withClaim('of-a'), inShop('seed', '1')))
  expect(await story.until(() => story.live('c1', 'configmaps', 'seed', 'shop') !== undefined, 30)).toBe(true)
  const uid = uidOf(story, 'c1', settings('seed'))
  await story.config('b', together(inShop('of-b', '1'), seed))
  expect(await story.until(() => story.isReady('b'), 30)).toBe(true)
  await story.config('a', withClaim('of-a'))
  expect(await story.until(() => holdersOf(story, 'c1', [settings('seed')])[0] === undefined, 30)).toBe(true)
  expect([uidOf(story, 'c1', settings('seed')), story.isReady('a'), story.isReady('b')]).toEqual([
    uid,
    true,
    true,
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('revisions without recorded claims are read from their bundles', async () => {
  const story = await begun('no claims')
  const uid = uidOf(story, 'c1', CLAIM)
  await story.config('t', claimText)
  await story.module('t', 't', { dependsOn: ['none'] })
  await story.pass(10)
  story.manager.stop()
  await dropClaims(story)
  story.manager = story.fleet.startController()
  await story.pass(10)
  const from = story.fleet.commits.length
  await story.config('a', withoutClaim('of-a'))
  expect(await story.until(() => holdersOf(story, 'c1', [CLAIM])[0] === 'm.platform.t', 60)).toBe(true)
  expect([uidOf(story, 'c1', CLAIM), deletesOn(story, 'c1', from)]).toEqual([uid, []])
  expect(story.fleet.oracles.violations).toEqual([])
})

describe('a Namespace that is removed from the bundle of the Module with objects in it', () => {
  it('stays while the Module has objects in it, and is deleted with the last of them', async () => {
    const story = await Story.begin('own use', ['c1'])
    await story.config('m', together(namespaceText, claimText, inShop('one', '1')))
    await story.module('m', 'm')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    const places: readonly Place[] = [['namespaces', '', 'shop'], CLAIM, settings('one')]
    const before = uidsOf(story, 'c1', places)
    const from = story.fleet.commits.length
    await story.config('m', together(claimText, inShop('one', '2')))
    await story.pass(60)
    expect(story.isReady('m')).toBe(true)
    expect(uidsOf(story, 'c1', places)).toEqual(before)
    expect(deletesOn(story, 'c1', from)).toEqual([])
    await story.config('m', inShop('two', '2').replace('namespace: shop', 'namespace: default'))
    const isGone = () => uidOf(story, 'c1', ['namespaces', '', 'shop']) === undefined
    expect(await story.until(isGone, 60)).toBe(true)
    expect(story.isReady('m')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
