import { describe, expect, it } from 'vitest'
import { bucketOf, parseUnitName, unitName } from './unitnames.ts'

describe('whose a label says an object is', () => {
  it.each(['Module', 'BootstrapModule', 'ClusterResourceSet'])('%s', (kind) => {
    const ref = { kind, namespace: 'platform', name: 'web.v2' }
    expect(parseUnitName(unitName(ref))).toEqual(ref)
  })
  it('is not known where it may have been cut, is of somebody else, or is no such label', () => {
    const long = { kind: 'Module', namespace: 'platform', name: 'n'.repeat(60) }
    expect(parseUnitName(unitName(long))).toBeUndefined()
    const theirs = { kind: 'AppGroup', namespace: 'platform', name: 'web', owner: 'argo.c0' }
    expect(parseUnitName(unitName(theirs))).toBeUndefined()
    for (const label of ['', 'm', 'm.web', 'q.platform.web']) expect(parseUnitName(label)).toBeUndefined()
  })
})

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
