import { describe, expect, it } from 'vitest'
import { packClaims, unpackClaims } from './packclaims.ts'

describe('claims in a ControllerRevision', () => {
  it('are stored as a list up to 256 KiB, compressed beyond that', () => {
    const few = ['ConfigMap shop/a', 'ConfigMap shop/b']
    expect(packClaims(few)).toBe(few)
    const many = Array.from(
      { length: 10_000 },
      (_, i) => `ConfigMap a-namespace/a-config-map-of-some-length-${i}`,
    )
    const packed = packClaims(many)
    expect(typeof packed).toBe('string')
    expect((packed as string).length).toBeLessThan(256 * 1024)
    expect(unpackClaims(packed)).toEqual(many)
    expect(unpackClaims('no gzip')).toBeUndefined()
  })

  it.each([undefined, 7, ['a', 7], { a: 'b' }])('that are %s are not readable', (stored) => {
    expect(unpackClaims(stored as never)).toBeUndefined()
  })
})
