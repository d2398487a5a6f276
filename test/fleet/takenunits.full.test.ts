/** Objects that change hands: from one unit to another, and from programs whose name many share. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { ManagedFieldsEntry } from '../../packages/kube/src/object/index.ts'
import { HeldWatches } from './heldwatches.ts'
import { must } from './simfleet.ts'
import { edge, KEY, reasons } from './single.ts'
import { configManifest, Story } from './steps.ts'

const FROM = { takeOverFrom: [{ kind: 'Module', name: 'first' }] }

const x = (story: Story) => story.live('edge', 'configmaps', 'x')
const unitOf = (story: Story): string | undefined => x(story)?.metadata.labels?.['lockstep.dev/unit']
const fieldsOf = (story: Story, manager: string, operation: string): ManagedFieldsEntry | undefined =>
  x(story)?.metadata.managedFields?.find((f) => f.manager === manager && f.operation === operation)
const ready = (story: Story, name: string) => story.until(() => story.isReady(name), 60)
const said = (story: Story, name: string): string[] =>
  (story.inventory(name, 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

/** `first` has delivered x with this value; `second` wants it as `wanted`. */
async function delivered(name: string, wanted: string): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('one', configManifest('x', '1'))
  await story.module('first', 'one')
  expect(await ready(story, 'first')).toBe(true)
  await story.config('two', configManifest('x', wanted))
  return story
}
const take = (story: Story, apply: object = FROM) => story.module('second', 'two', { apply: { ...apply } })

describe('an object of a unit that is listed', () => {
  it('as it is: one write gives it other marks; who had it neither repairs nor prunes nor deletes it', async () => {
    const story = await delivered('taken', '1')
    const { uid, generation } = x(story)!.metadata
    const from = story.fleet.commits.length
    await take(story)
    expect(await ready(story, 'second')).toBe(true)
    expect(story.writes('edge', from)).toEqual(['patch configmaps default/x'])
    expect(unitOf(story)).toBe('m.platform.second')
    expect(x(story)!.metadata).toMatchObject({ uid, ...(generation === undefined ? {} : { generation }) })
    const given = /^1 object on \S+ is owned by second \(its spec\.apply\.takeOverFrom\)$/
    const handedOver = () => story.see('first').status?.conditions?.find((c) => c.type === 'HandedOver')
    expect(await story.until(() => given.test(handedOver()?.message ?? ''), 60)).toBe(true)
    expect([said(story, 'first'), story.isReady('first')]).toEqual([[], true])
    // A look at what is delivered, and a time in which drift would be seen: nobody has anything to put right.
    await story.pass(1300)
    expect(story.writes('edge', from)).toHaveLength(1)
    expect(story.inventory('second', 'edge')?.status?.lastDrift).toBeUndefined()
    // It leaves the bundle of who had it, whose prune lets it be.
    await story.config('none', configManifest('other', '1'))
    await story.module('first', 'none')
    expect(await ready(story, 'first')).toBe(true)
    expect(handedOver()).toBeUndefined()
    await story.deleteModule('first')
    expect(await story.until(() => story.inventory('first', 'edge') === undefined, 60)).toBe(true)
    expect([unitOf(story), x(story)!.metadata.uid]).toEqual(['m.platform.second', uid])
    expect(story.isReady('second')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.each(['Delete', 'Orphan'])(
    'who had it is deleted while it lists it, with policy %s: it is not touched',
    async (deletionPolicy) => {
      const story = await delivered(`taken ${deletionPolicy}`, '1')
      await story.module('first', 'one', { apply: { deletionPolicy } })
      await story.pass(10)
      await take(story)
      expect(await ready(story, 'second')).toBe(true)
      expect(story.inventory('first', 'edge')?.spec.objects?.map((o) => o.name)).toEqual(['x'])
      const from = story.fleet.commits.length
      await story.deleteModule('first')
      expect(await story.until(() => story.inventory('first', 'edge') === undefined, 60)).toBe(true)
      await story.pass(700)
      expect(story.writes('edge', from)).toEqual([])
      expect([unitOf(story), story.isReady('second')]).toEqual(['m.platform.second', true])
    },
  )

  it('of another content: the marks first, then an apply that takes off what the manifest lacks', async () => {
    const story = await delivered('taken changed', '2')
    await story.config('more', configManifest('x', '1').replace('value:', 'more: "1", value:'))
    await story.module('first', 'more')
    const hasMore = () => (x(story)!.data as { more?: string }).more !== undefined
    expect(await story.until(hasMore, 60), said(story, 'first').join()).toBe(true)
    const from = story.fleet.commits.length
    await take(story)
    expect(await ready(story, 'second')).toBe(true)
    expect(story.writes('edge', from)).toEqual(['patch configmaps default/x', 'apply configmaps default/x'])
    expect(x(story)!.data).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('drift is found after it, and put right; a later change is applied', async () => {
    const story = await delivered('taken drift', '1')
    await take(story)
    expect(await ready(story, 'second')).toBe(true)
    const by = { purpose: 'user', manager: 'somebody', precondition: 'any' } as const
    must(await story.during(edge(story).patch(configMapKind, KEY, { data: { value: 'x' } }, by)))
    expect(await story.until(() => (x(story)!.data as { value: string }).value === '1', 60)).toBe(true)
    await story.config('three', configManifest('x', '3'))
    await story.module('second', 'three', { apply: FROM })
    expect(await story.until(() => (x(story)!.data as { value: string }).value === '3', 60)).toBe(true)
    expect(await ready(story, 'second')).toBe(true)
    expect(x(story)!.data).toEqual({ value: '3' })
    expect(fieldsOf(story, 'lockstep', 'Apply')?.fieldsV1).toMatchObject({ 'f:data': { 'f:value': {} } })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('two that list each other: the later spec is refused, until one of the entries is gone', async () => {
    const story = await delivered('taken both', '1')
    const back = { takeOverFrom: [{ kind: 'Module', name: 'second' }] }
    await story.module('first', 'one', { apply: back })
    expect(await ready(story, 'first')).toBe(true)
    const from = story.fleet.commits.length
    await take(story)
    await story.pass(1300)
    expect(story.writes('edge', from)).toEqual([])
    expect(story.blockers('second')).toEqual([
      'ClaimConflict: spec.apply.takeOverFrom: Module first lists this Module as well, and both contain ConfigMap default/x; remove one entry',
    ])
    expect(story.see('second').status?.currentRevision).toBeUndefined()
    await story.module('first', 'one')
    expect(await ready(story, 'second')).toBe(true)
    expect(unitOf(story)).toBe('m.platform.second')
  })

  it('it was taken while the caches of who had it show nothing of that: a change of theirs finds out before it writes', async () => {
    const story = await Story.begin('taken unseen', ['edge'])
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    const inline = (value: string) => ({
      inline: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data: { value } }] },
    })
    await story.module('first', inline('1'))
    expect(await ready(story, 'first')).toBe(true)
    // What we have set by an update is moved before a change, on the version that is read then.
    const by = { purpose: 'user', precondition: 'any' } as const
    const patch = (body: object, manager: string) =>
      story.during(edge(story).patch(configMapKind, KEY, body as never, { ...by, manager }))
    must(await patch({ data: { more: 'x' } }, 'lockstep'))
    await story.pass(5)
    watches.hold('configmaps')
    const labels = { 'lockstep.dev/unit': 'm.platform.second' }
    const annotations = { 'lockstep.dev/inventory': 'another' }
    must(await patch({ metadata: { labels, annotations } }, 'lockstep-cli'))
    const from = story.fleet.commits.length
    await story.module('first', inline('2'))
    expect(await story.until(() => said(story, 'first').length > 0, 60)).toBe(true)
    expect(said(story, 'first')[0]).toMatch(/^OwnedByAnother: .* belongs to Module platform\/second[,;] /)
    expect(story.writes('edge', from)).toEqual([])
    expect(x(story)!.data).toEqual({ value: '1', more: 'x' })
  })

  it('it is listed once it was refused: it is taken at once', async () => {
    const story = await delivered('taken late', '1')
    await take(story, {})
    const isBlocked = () => story.see('second').status?.clusters?.blocked === 1
    expect(await story.until(isBlocked, 60)).toBe(true)
    expect(story.blockers('second').join()).toContain('OwnedByAnother')
    expect(unitOf(story)).toBe('m.platform.first')
    await take(story)
    expect(await story.until(() => story.isReady('second'), 10)).toBe(true)
    expect(unitOf(story)).toBe('m.platform.second')
  })

  it('our process dies over the write, before it is sent or after: it is taken once, and written down', async () => {
    for (const phase of ['send', 'receive'] as const) {
      const story = await delivered(`taken ${phase}`, '1')
      let isArmed = true
      const death = {
        before: async ({ method }: { method: string }) =>
          isArmed && phase === 'send' && method === 'PATCH' ? die() : undefined,
        after: async ({ method }: { method: string }) =>
          isArmed && phase === 'receive' && method === 'PATCH' ? die() : undefined,
      }
      const die = () => {
        isArmed = false
        story.manager.stop()
        return { phase, detail: 'killed' } as const
      }
      story.fleet.env.net.wire('https://edge.test', death as never)
      await take(story)
      expect(await story.until(() => !isArmed, 30)).toBe(true)
      story.manager = story.fleet.startController()
      expect(await ready(story, 'second')).toBe(true)
      expect(unitOf(story)).toBe('m.platform.second')
      expect(story.inventory('second', 'edge')?.spec.objects?.map((o) => o.name)).toEqual(['x'])
      const open = () => story.inventory('second', 'edge')?.spec.intents ?? []
      expect(await story.until(() => open().length === 0, 60)).toBe(true)
      expect(story.fleet.oracles.violations).toEqual([])
    }
  })
})

describe('what a program named manager has made', () => {
  const made = async (name: string, data: Record<string, string>, manager = 'manager'): Promise<Story> => {
    const story = await Story.begin(name, ['edge'])
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data }
    must(await story.during(edge(story).create(configMapKind, body, { purpose: 'user', manager })))
    return story
  }
  const apply = { adoptFrom: ['manager'] }

  it('as it is wanted: one write, of owners and marks; what the manifest lacks stays with that program', async () => {
    const story = await made('manager equal', { value: '1', theirs: 'x' })
    await story.config('x', configManifest('x', '1'))
    const from = story.fleet.commits.length
    await story.module('m', 'x', { apply })
    expect(await ready(story, 'm'), reasons(story).join()).toBe(true)
    expect(story.writes('edge', from)).toEqual(['patch configmaps default/x'])
    expect(fieldsOf(story, 'manager', 'Update')?.fieldsV1).toEqual({ 'f:data': { 'f:theirs': {} } })
    await story.pass(1300)
    expect(story.writes('edge', from)).toHaveLength(1)
    // What leaves the manifest goes; what that program has besides stays.
    await story.config('less', configManifest('x', '1').replace('value:', 'other:'))
    await story.module('m', 'less', { apply })
    await story.pass(30)
    expect(x(story)!.data).toEqual({ other: '1', theirs: 'x' })
    expect(story.writes('edge', from).slice(1)).toEqual(['apply configmaps default/x'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what we had made ourselves, without marks, as a set does once: what the manifest lacks goes', async () => {
    const story = await made('made by us', { value: '1', old: 'x' }, 'lockstep')
    await story.config('x', configManifest('x', '1'))
    await story.module('m', 'x')
    expect(await ready(story, 'm')).toBe(true)
    expect(x(story)!.data).toEqual({ value: '1' })
  })

  it('of another content: owners first, then the apply', async () => {
    const story = await made('manager other', { value: '0', theirs: 'x' })
    await story.config('x', configManifest('x', '1'))
    const from = story.fleet.commits.length
    await story.module('m', 'x', { apply })
    expect(await ready(story, 'm')).toBe(true)
    expect(story.writes('edge', from)).toEqual(['patch configmaps default/x', 'apply configmaps default/x'])
    expect(x(story)!.data).toEqual({ value: '1', theirs: 'x' })
    expect(fieldsOf(story, 'manager', 'Update')?.fieldsV1).toEqual({ 'f:data': { 'f:theirs': {} } })
  })
})
