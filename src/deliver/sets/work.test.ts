import { describe, expect, it } from 'vitest'
import type { SetRecord } from '../../api/kinds/inventory.ts'
import { recordAfter, type SetAsked, type SetObject, type SourceContent, workOf } from './work.ts'

const once: SetAsked = { mode: 'ApplyOnce', existing: 'Keep', reapply: undefined }
const reconcile: SetAsked = { mode: 'Reconcile', existing: 'Take', reapply: undefined }
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
function play(asked: SetAsked, content: SourceContent, record: SetRecord | undefined, ...refused: string[]) {
  const work = workOf(asked, [content], record)
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
    const first = workOf(once, [content], undefined)[0]!
    const record = recordAfter(once, undefined, [{ work: first, written: [nameless(1)], failed: 2 }], 'now')
    expect(workOf(once, [content], record)[0]?.objects).toEqual([nameless(2), config('q')])
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
      ...{ kind: 'ConfigMap', name: 'a', hash: 'h2', applied: false, lastAppliedTime: 'before' },
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
