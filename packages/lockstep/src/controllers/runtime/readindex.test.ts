import { beforeEach, describe, expect, it } from 'vitest'
import { ReadIndex } from './readindex.ts'
import { moduleKey, requestOf } from './requestkeys.ts'

const requestFor = (name: string) =>
  requestOf('module', moduleKey.of({ kind: 'Module', namespace: 'ns', name }))
const [app, shop] = [requestFor('app'), requestFor('shop')]
const decision = (outcome: string) => ({ outcome, isBlocked: true, again: () => outcome })

describe('an index of reads', () => {
  let index: ReadIndex

  beforeEach(() => {
    index = new ReadIndex()
  })

  it('names a reader from the read on, before its reconcile is over', () => {
    index.begin(app).note('unit base@c1')
    expect(index.readersOf('unit base@c1')).toEqual([app])
  })

  it('names each reader once, however often it reads', () => {
    for (const request of [app, shop, app]) {
      const reads = index.begin(request)
      reads.note('module base')
      reads.note('module base')
      reads.end()
    }
    expect(index.readersOf('module base')).toEqual([app, shop])
  })

  it('forgets reads that the next reconcile does not repeat, once that is over', () => {
    const first = index.begin(app)
    first.note('module base')
    first.end()
    const second = index.begin(app)
    second.note('module other')
    expect(index.readersOf('module base')).toEqual([app])
    second.end()
    expect(index.readersOf('module base')).toEqual([])
    expect(index.readersOf('module other')).toEqual([app])
  })

  it('keeps reads of a failed reconcile beside those of earlier ones', () => {
    const first = index.begin(app)
    first.note('module base')
    first.end()
    index.begin(app).note('module other')
    expect(index.readersOf('module base')).toEqual([app])
    expect(index.readersOf('module other')).toEqual([app])
  })

  it('notes nothing after the end', () => {
    const reads = index.begin(app)
    reads.end()
    reads.note('module base')
    expect(index.readersOf('module base')).toEqual([])
  })

  it('has the blocked decision of the last reconcile, until the next one begins', () => {
    const first = index.begin(app)
    first.decided(decision('waits'))
    expect(index.blockedDecisions).toEqual([])
    first.end()
    const [found] = index.blockedDecisions
    expect(found).toMatchObject({ request: app, outcome: 'waits' })
    expect(index.isLatest(found!)).toBe(true)
    const second = index.begin(app)
    expect(index.blockedDecisions).toEqual([])
    second.decided({ ...decision('starts'), isBlocked: false })
    second.end()
    expect(index.blockedDecisions).toEqual([])
    expect(index.isLatest(found!)).toBe(false)
  })
})
