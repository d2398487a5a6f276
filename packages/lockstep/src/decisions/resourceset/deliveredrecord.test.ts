import { describe, expect, it } from 'vitest'
import { isAllApplied, nextDeliveredRecord } from './deliveredrecord.ts'

const a = { kind: 'ConfigMap', name: 'a' } as const
const b = { kind: 'Secret', name: 'b' } as const
const NOW = '2026-11-01T00:00:00Z'
const THEN = '2026-01-01T00:00:00Z'
const entry = { ...a, hash: 'h1', applied: true, lastAppliedTime: THEN }

describe('all is applied', () => {
  const objects = { total: 2, applied: 2, ready: 0, failed: 1, blocked: 0 }

  it('where each object is, whether or not it is well', () => {
    expect(isAllApplied({ objects, admittedSerial: 3 }, 3)).toBe(true)
  })

  it.each([
    ['one is not', { objects: { ...objects, applied: 1 }, admittedSerial: 3 }],
    ['it is about other content', { objects, admittedSerial: 2 }],
    ['nothing is known', {}],
  ])('not where %s', (_, status) => expect(isAllApplied(status, 3)).toBe(false))
})

describe('the record of a set after its Module has delivered', () => {
  it('is the very same where nothing of its content is another', () => {
    const before = { sources: [entry], takenOver: THEN }
    expect(nextDeliveredRecord(before, { sources: [{ ...a, hash: 'h1' }], isApplied: false }, [a], NOW)).toBe(
      before,
    )
  })

  it('has the time of the success, not of the try', () => {
    const sources = [{ ...a, hash: 'h2' }]
    const before = { sources: [entry], takenOver: THEN }
    const trying = nextDeliveredRecord(before, { sources, isApplied: false }, [a], NOW)
    expect(trying).toEqual({
      sources: [{ ...a, hash: 'h2', applied: false, lastAppliedTime: THEN }],
      takenOver: THEN,
    })
    expect(nextDeliveredRecord(trying, { sources, isApplied: true }, [a], NOW)?.sources).toEqual([
      { ...a, hash: 'h2', applied: true, lastAppliedTime: NOW },
    ])
  })

  it('keeps what was said of a source that is not in the revision, as long as it is one of the set', () => {
    const before = { sources: [entry] }
    const delivered = { sources: [{ ...b, hash: 'h9' }], isApplied: true }
    const next = nextDeliveredRecord(before, delivered, [a, b], NOW)
    expect(next?.sources?.map((s) => `${s.name} ${s.hash}`)).toEqual(['a h1', 'b h9'])
    expect(nextDeliveredRecord(next, delivered, [b], NOW)?.sources?.map((s) => s.name)).toEqual(['b'])
  })

  it('says nothing of a source that nothing is known of', () => {
    expect(nextDeliveredRecord({}, { sources: [], isApplied: true }, [a], NOW)).toEqual({})
  })
})
