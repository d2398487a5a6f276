/** Inventories that the hub lost: a unit takes its own objects back where the stamp confirms their marks, else a person decides. */
import { describe, expect, it } from 'vitest'
import { adoptByMarks } from './adoptmarks.ts'
import { deletesOn, hold } from './handoverstory.ts'
import {
  begin,
  contents,
  eventsOf,
  forge,
  inventoriesOf,
  lose,
  manifests,
  numbered,
  onStamp,
  reasons,
  STAMP,
  start,
} from './lostinventorystory.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

describe('an Inventory that was stripped', () => {
  it('of 200 objects is rebuilt within 30 s, and no content is written (tenancy 15)', async () => {
    const names = numbered(200)
    const story = await begin('lost-200', names, `---\n${deploymentManifest('web', 'web:1')}`)
    const [before, web] = [contents(story, names), contents(story, ['web'], 'deployments.apps')]
    const former = await lose(story)
    const from = story.fleet.commits.length
    start(story)
    const isBack = () =>
      story.isReady('web') && (story.inventory('web', 'c1')?.spec.objects?.length ?? 0) === 201
    expect(await story.until(isBack, 30)).toBe(true)
    const { metadata } = story.inventory('web', 'c1')!
    expect(metadata.uid).not.toBe(former)
    expect(new Set(inventoriesOf(story, names))).toEqual(new Set([metadata.uid]))
    expect([contents(story, names), contents(story, ['web'], 'deployments.apps')]).toEqual([before, web])
    expect(deletesOn(story, 'c1', from)).toEqual([])
    expect(story.writes('c1', from).filter((w) => !w.startsWith('patch '))).toEqual([])
    expect(story.writes('c1', from)).toHaveLength(201)
    expect(story.live('c1', 'configmaps', STAMP.name, STAMP.namespace)).toMatchObject({
      data: { inventory: metadata.uid, serial: '1' },
    })
    const [told, ...more] = await eventsOf(story, 'InventoryRebuilt')
    expect(more).toEqual([])
    expect(told?.note).toMatch(/^rebuilt from the marks of 201 objects on c1: /)
    await story.pass(120)
    expect(story.inventory('web', 'c1')!.spec.intents).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('with an object that its bundle lacks: that waits for a person, also when its Module is deleted', async () => {
    const story = await begin('lost-left', ['a', 'b'])
    const former = await lose(story)
    await forge(story, 'left', former)
    const from = story.fleet.commits.length
    start(story)
    expect(await story.until(() => reasons(story).includes('PruneConfirmation'), 60)).toBe(true)
    await story.pass(600)
    expect(reasons(story)).toEqual(['PruneConfirmation'])
    expect(deletesOn(story, 'c1', from)).toEqual([])
    expect(story.inventory('web', 'c1')!.spec.objects?.map((o) => [o.name, o.confirm])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['left', ['Delete', 'Prune']],
    ])
    await story.deleteModule('web')
    await story.pass(600)
    expect(deletesOn(story, 'c1', from).sort()).toEqual([
      'delete configmaps default/a',
      'delete configmaps default/b',
    ])
    expect(reasons(story)).toEqual(['PruneConfirmation'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('with other content than the cluster has: the marks come first, then the content', async () => {
    const story = await begin('lost-newer', ['a', 'b'])
    await lose(story)
    await story.config('v1', [configManifest('a', '2'), configManifest('b', '1')].join('---\n'))
    const [a, b] = ['a', 'b'].map((name) => story.live('c1', 'configmaps', name)!.metadata.uid)
    start(story)
    const isWritten = () => JSON.stringify(story.live('c1', 'configmaps', 'a')).includes('"value":"2"')
    expect(await story.until(() => isWritten() && story.isReady('web'), 60)).toBe(true)
    expect(story.live('c1', 'configmaps', 'a')!.metadata.uid).toBe(a)
    expect(story.live('c1', 'configmaps', 'b')!.metadata.uid).toBe(b)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('whose stamp names another hub: nothing is written (31)', async () => {
    const story = await begin('lost-foreign', ['a'])
    await lose(story)
    await onStamp(story, { hub: 'another' })
    const from = story.fleet.commits.length
    start(story)
    await story.pass(600)
    expect(reasons(story)).toEqual(['OwnedByAnotherHub'])
    expect([...story.writes('c1', from), ...story.stamps('c1', from)]).toEqual([])
  })
})

describe('marks that no stamp confirms', () => {
  it('of a lost Inventory: they stay, and the command is printed', async () => {
    const story = await begin('lost-unstamped', numbered(14))
    const former = await lose(story)
    await onStamp(story, undefined)
    const from = story.fleet.commits.length
    start(story)
    expect(await story.until(() => story.blockers('web').length > 0, 60)).toBe(true)
    await story.pass(600)
    expect(story.blockers('web')).toEqual([
      'InventoryLost: 14 objects on c1 carry the marks of platform/web and no Inventory lists them: lockstep adopt --from-markers web@c1',
    ])
    expect(story.writes('c1', from)).toEqual([])
    expect(new Set(inventoriesOf(story, numbered(14)))).toEqual(new Set([former]))
  })

  it('of a lost Inventory: the printed command repairs the unit, and no content is written (tenancy 15)', async () => {
    const story = await begin('lost-adopted', numbered(14))
    const before = contents(story, numbered(14))
    const former = await lose(story)
    await onStamp(story, undefined)
    await forge(story, 'left', former)
    const from = story.fleet.commits.length
    start(story)
    expect(await story.until(() => reasons(story).includes('InventoryLost'), 60)).toBe(true)
    expect(await adoptByMarks(story, story.inventory('web', 'c1')!)).toBe(15)
    expect(await story.until(() => reasons(story).includes('PruneConfirmation'), 60)).toBe(true)
    await story.pass(300)
    expect(reasons(story)).toEqual(['PruneConfirmation'])
    expect(contents(story, numbered(14))).toEqual(before)
    expect(story.writes('c1', from).filter((w) => !w.startsWith('patch '))).toEqual([])
    expect(story.inventory('web', 'c1')!.spec.intents).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('are adopted by a person while the unit is suspended, and wait for a confirmation when it is removed', async () => {
    const story = await begin('lost-held', ['a', 'b'])
    await lose(story)
    await onStamp(story, undefined)
    const from = story.fleet.commits.length
    start(story)
    expect(await story.until(() => reasons(story).includes('InventoryLost'), 60)).toBe(true)
    await hold(story, 'web', { action: 'Suspend' })
    expect(await adoptByMarks(story, story.inventory('web', 'c1')!)).toBe(2)
    await story.pass(30)
    expect(story.writes('c1', from)).toEqual([])
    await story.deleteModule('web')
    expect(await story.until(() => reasons(story).includes('PruneConfirmation'), 60)).toBe(true)
    const { uid } = story.inventory('web', 'c1')!.metadata
    expect(inventoriesOf(story, ['a', 'b'])).toEqual([uid, uid])
    expect(deletesOn(story, 'c1', from)).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each([
    ['of an unknown Inventory', 'no-inventory'],
    ['without a UID', ''],
  ])('that are forged (%s): the object is never adopted by itself', async (_, inventory) => {
    const story = await Story.begin(`forged ${inventory}`, ['c1'])
    await forge(story, 'a', inventory)
    await story.config('v1', manifests(['a', 'b']))
    await story.module('web', 'v1')
    await story.pass(900)
    expect(reasons(story)).toEqual(['InventoryLost'])
    expect(story.live('c1', 'configmaps', 'a')).toMatchObject({ data: { value: 'forged' } })
    expect(story.writes('c1')).toEqual(['create configmaps default/b'])
  })

  it('forged in a bundle that is deployed: the stamp names the Inventory that there is', async () => {
    const story = await begin('forged-later', ['a'])
    await forge(story, 'b', 'forged')
    await story.config('v1', manifests(['a', 'b']))
    await story.pass(900)
    expect(reasons(story)).toEqual(['InventoryLost'])
    expect(story.live('c1', 'configmaps', 'b')).toMatchObject({ data: { value: 'forged' } })
  })
})
