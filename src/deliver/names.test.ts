import { describe, expect, it } from 'vitest'
import { bucketOf } from './names.ts'

describe('buckets', () => {
  it('a cluster is in the same one each time, whatever else there is', () => {
    // Written down on objects: another answer would move clusters.
    expect(bucketOf('platform', 'edge-1')).toBe('196')
    expect(bucketOf('platform', 'edge-1')).not.toBe(bucketOf('other', 'edge-1'))
  })
  it('fills all 256, none with more than three times its share', () => {
    const counts = new Map<string, number>()
    for (let i = 0; i < 25_600; i++) {
      const bucket = bucketOf('platform', `edge-${i}`)
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
    }
    expect([...counts.keys()].map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 256 }, (_, i) => i),
    )
    expect(Math.max(...counts.values())).toBeLessThan(300)
  })
})
