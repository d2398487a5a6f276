import { describe, expect, it } from 'vitest'
import { judgeStamp, readStamp, type Stamp, stampObject } from './stamp.ts'

const ours: Stamp = { hub: 'h', inventory: 'i', serial: 5, contentDigest: 'v1:a', revision: 'r' }

describe('what a stamp on a cluster says to who is about to write', () => {
  const cases: readonly [string, Partial<Stamp> | undefined, ReturnType<typeof judgeStamp>][] = [
    ['none is there', undefined, 'older'],
    ['an earlier admission', { serial: 4 }, 'older'],
    ['this one', {}, 'same'],
    ['this one, after the cluster came to serve another kind', { contentDigest: 'v1:b' }, 'same'],
    ['a later admission', { serial: 6 }, 'newer'],
    ['an Inventory that this hub does not know', { inventory: 'j', serial: 1 }, 'newer'],
    ['another hub', { hub: 'g', serial: 1 }, 'foreign'],
    ['another hub, and its Inventory', { hub: 'g', inventory: 'j' }, 'foreign'],
  ]
  it.each(cases)('%s', (_, found, verdict) => {
    expect(judgeStamp(ours, found && { ...ours, ...found })).toBe(verdict)
  })
})

describe('a stamp as it is kept', () => {
  it('is read as it was written', () => {
    expect(readStamp(stampObject('m.platform.web', ours))).toEqual(ours)
  })
  const edits: readonly Readonly<Record<string, string>>[] = [
    { serial: '' },
    { serial: '-1' },
    { serial: '1e3' },
    { serial: '1234567890123456' },
    { inventory: '' },
    { hub: '' },
  ]
  it.each(edits)('says nothing with %j', (edit) => {
    const kept = stampObject('m.platform.web', ours)
    expect(readStamp({ ...kept, data: { ...kept.data, ...edit } })).toBeUndefined()
  })
})
