import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import type { SetRecord } from '../../api/kinds/inventory/spec.ts'
import {
  isAllDone,
  isOlderUnknown,
  recordAfter,
  recordBegun,
  type SetObject,
  type SetRequest,
  type SourceContent,
  sourceWorkOf,
} from './sourcework.ts'

const once: SetRequest = { mode: 'ApplyOnce', existing: 'Keep', reapply: undefined }
const reconcile: SetRequest = { mode: 'Reconcile', existing: 'Take', reapply: undefined }
const config = (name: string): SetObject => ({
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'x' } },
  origin: 'ConfigMap default/a key a.yaml',
})
const source = (hash: string, ...names: string[]): SourceContent => ({
  ref: { kind: 'ConfigMap', name: 'a' },
  hash,
  objects: names.map(config),
})

/** What is written when all but these succeed, and the record after that. */
function play(
  asked: SetRequest,
  content: SourceContent,
  record: SetRecord | undefined,
  ...refused: string[]
) {
  const work = sourceWorkOf(asked, [content], record)
  const isRefused = ({ object }: SetObject): boolean => refused.includes(object.metadata.name ?? '')
  const outcomes = work.map((w) => ({
    work: w,
    written: w.objects.filter((o) => !isRefused(o)),
    failed: w.objects.filter(isRefused).length,
  }))
  const said = work.flatMap((w) => w.objects.map(({ object }) => `${w.write} ${object.metadata.name}`))
  return { said, record: outcomes.length > 0 ? recordAfter(asked, record, outcomes, 'now') : record }
}

describe('ApplyOnce', () => {
  it('creates each object once, in order, and never looks again', () => {
    const first = play(once, source('h1', 'p', 'q'), undefined)
    expect(first.said).toEqual(['CreateOrKeep p', 'CreateOrKeep q'])
    expect(first.record?.sources).toEqual([
      { kind: 'ConfigMap', name: 'a', hash: 'h1', applied: true, lastAppliedTime: 'now' },
    ])
    expect(play(once, source('h2', 'p', 'q', 'r'), first.record).said).toEqual([])
  })
  it('tries again what was refused, and nothing else: what a user has deleted meanwhile stays deleted', () => {
    const first = play(once, source('h1', 'p', 'q', 'r'), undefined, 'q')
    expect(first.record?.sources?.[0]).toMatchObject({ applied: false })
    expect(first.record?.sources?.[0]).not.toHaveProperty('lastAppliedTime')
    const second = play(once, source('h1', 'p', 'q', 'r'), first.record, 'q')
    expect(second.said).toEqual(['CreateOrKeep q'])
    const third = play(once, source('h1', 'p', 'q', 'r'), second.record)
    expect(third.said).toEqual(['CreateOrKeep q'])
    expect(third.record?.sources?.[0]).toMatchObject({ applied: true, lastAppliedTime: 'now' })
    expect(third.record?.sources?.[0]).not.toHaveProperty('done')
  })
  it('objects that the server names are created once each', () => {
    const nameless = (document: number): SetObject => ({
      object: { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'j-', namespace: 'x' } },
      origin: `ConfigMap default/a key a.yaml document ${document}`,
    })
    const content = { ...source('h1', 'q'), objects: [nameless(1), nameless(2), config('q')] }
    const first = sourceWorkOf(once, [content], undefined)[0]!
    const record = recordAfter(once, undefined, [{ work: first, written: [nameless(1)], failed: 2 }], 'now')
    expect(sourceWorkOf(once, [content], record)[0]?.objects).toEqual([nameless(2), config('q')])
  })
  it('keeps what was applied where its source changes before the rest was', () => {
    const first = play(once, source('h1', 'p', 'q'), undefined, 'q')
    expect(play(once, source('h2', 'p', 'q'), first.record).said).toEqual(['CreateOrKeep q'])
  })
  it.each([
    ['Take', 'Apply p'],
    ['Fail', 'CreateOrFail p'],
  ] as const)('existing: %s', (existing, said) => {
    expect(play({ ...once, existing }, source('h', 'p'), undefined).said).toEqual([said])
  })
})

describe('Reconcile', () => {
  it('applies all objects of a source that has another hash, and nothing while it has not', () => {
    const first = play(reconcile, source('h1', 'p', 'q'), undefined)
    expect(first.said).toEqual(['Apply p', 'Apply q'])
    expect(play(reconcile, source('h1', 'p', 'q'), first.record).said).toEqual([])
    expect(play(reconcile, source('h2', 'p', 'q'), first.record).said).toEqual(['Apply p', 'Apply q'])
  })
  it('tries again only what was refused at this hash', () => {
    const first = play(reconcile, source('h1', 'p', 'q'), undefined, 'p')
    expect(play(reconcile, source('h1', 'p', 'q'), first.record).said).toEqual(['Apply p'])
    expect(play(reconcile, source('h2', 'p', 'q'), first.record).said).toEqual(['Apply p', 'Apply q'])
  })
  it('keeps the time of the last success while the next one fails', () => {
    const first = play(reconcile, source('h1', 'p'), undefined)
    const record = { sources: [{ ...first.record!.sources![0]!, lastAppliedTime: 'before' }] }
    expect(play(reconcile, source('h2', 'p'), record, 'p').record?.sources?.[0]).toEqual({
      kind: 'ConfigMap',
      name: 'a',
      hash: 'h2',
      applied: false,
      lastAppliedTime: 'before',
    })
  })
})

describe('reapply', () => {
  it('each new value applies all once more, and takes what is there', () => {
    const first = play(once, source('h1', 'p', 'q'), undefined)
    const asked = { ...once, reapply: '1' }
    const again = play(asked, source('h1', 'p', 'q'), first.record, 'q')
    expect(again.said).toEqual(['Apply p', 'Apply q'])
    const rest = play(asked, source('h1', 'p', 'q'), again.record)
    expect(rest.said).toEqual(['Apply q'])
    expect(play(asked, source('h1', 'p', 'q'), rest.record).said).toEqual([])
    expect(play({ ...once, reapply: '2' }, source('h1', 'p', 'q'), rest.record).said).toEqual([
      'Apply p',
      'Apply q',
    ])
  })
  it('means nothing for what is applied for the first time', () => {
    const first = play({ ...once, reapply: '1' }, source('h1', 'p'), undefined)
    expect(first.said).toEqual(['CreateOrKeep p'])
    expect(play({ ...once, reapply: '1' }, source('h1', 'p'), first.record).said).toEqual([])
  })
})

describe('what Cluster API had applied', () => {
  const theirs: SetRecord = {
    sources: [{ kind: 'ConfigMap', name: 'a', hash: 'h1', applied: true, upstream: 'h1' }],
  }
  it('is known as long as the source says the same, and kept in mind until all of it was applied by us', () => {
    expect(isOlderUnknown(theirs, source('h1', 'p'))).toBe(false)
    const half = play(reconcile, source('h2', 'p', 'q'), theirs, 'q').record
    expect(half?.sources?.[0]).toMatchObject({ hash: 'h2', applied: false, upstream: 'h1' })
    expect(isOlderUnknown(half, source('h2', 'p', 'q'))).toBe(true)
    const whole = play(reconcile, source('h2', 'p', 'q'), half).record
    expect(whole?.sources?.[0]).not.toHaveProperty('upstream')
    expect(isOlderUnknown(whole, source('h3', 'p'))).toBe(false)
  })
  it('is nothing where no binding has the source', () => {
    expect(isOlderUnknown(undefined, source('h1', 'p'))).toBe(false)
  })
})

it('nothing is left to be done exactly where no work is', () => {
  const asked = fc.record({
    mode: fc.constantFrom('ApplyOnce' as const, 'Reconcile' as const),
    existing: fc.constantFrom('Keep' as const, 'Take' as const, 'Fail' as const),
    reapply: fc.option(fc.constantFrom('1', '2'), { nil: undefined }),
  })
  const entry = fc.record(
    {
      kind: fc.constant('ConfigMap' as const),
      name: fc.constantFrom('a', 'b'),
      hash: fc.constantFrom('h1', 'h2'),
      applied: fc.boolean(),
      reapply: fc.constantFrom('1', '2'),
    },
    { requiredKeys: ['kind', 'name', 'hash', 'applied'] },
  )
  const record = fc.option(fc.record({ sources: fc.array(entry, { maxLength: 3 }) }), { nil: undefined })
  const contents = fc.constantFrom([], [source('h1')], [source('h1', 'p')], [source('h2', 'p', 'q')])
  assertProperty(
    fc.property(asked, contents, record, (a, c, r) => {
      expect(isAllDone(a, c, r)).toBe(sourceWorkOf(a, c, r).length === 0)
    }),
  )
})

describe('a process that dies amid another content', () => {
  const begun = (asked: SetRequest, hash: string, record: SetRecord | undefined) =>
    recordBegun(asked, record, sourceWorkOf(asked, [source(hash, 'p', 'q')], record))

  it('has said so before: once the source is what it was, all of it is written again', () => {
    const { record } = play(reconcile, source('h1', 'p', 'q'), undefined)
    const amid = begun(reconcile, 'h2', record)
    expect(amid?.sources?.[0]).toMatchObject({ hash: 'h1', applied: true, begun: true })
    expect(begun(reconcile, 'h2', amid)).toBe(amid)
    expect(isAllDone(reconcile, [source('h1', 'p', 'q')], amid)).toBe(false)
    const again = play(reconcile, source('h1', 'p', 'q'), amid)
    expect(again.said).toEqual(['Apply p', 'Apply q'])
    expect(again.record).toEqual(record)
  })

  it('has said so of what was applied in part, too', () => {
    const { record } = play(reconcile, source('h1', 'p', 'q'), undefined, 'q')
    const again = play(reconcile, source('h1', 'p', 'q'), begun(reconcile, 'h2', record))
    expect(again.said).toEqual(['Apply p', 'Apply q'])
  })

  it('says nothing where nothing was applied, nor in ApplyOnce, where once is once', () => {
    expect(begun(reconcile, 'h1', undefined)).toBeUndefined()
    const { record } = play(once, source('h1', 'p', 'q'), undefined, 'q')
    expect(begun(once, 'h2', record)).toBe(record)
  })
})
