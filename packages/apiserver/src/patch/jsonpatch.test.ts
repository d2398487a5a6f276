import { describe, expect, it } from 'vitest'
import { applyJsonPatch } from './jsonpatch.ts'

const value = (doc: unknown, patch: unknown) => {
  const done = applyJsonPatch(doc as never, patch as never)
  return done.ok ? done.value : done.error.kind
}

describe('a JSON patch', () => {
  it.each([
    ['adds to a list at an index', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['adds behind the last element', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    [
      'escapes / and ~',
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'replace', path: '/a~1b', value: 3 },
        { op: 'remove', path: '/c~0d' },
      ],
      { 'a/b': 3 },
    ],
    ['moves', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['tests', { a: null }, [{ op: 'test', path: '/a', value: null }], { a: null }],
  ])('%s', (_, doc, patch, want) => {
    expect(value(doc, patch)).toEqual(want)
  })

  it('is all or nothing', () => {
    const doc = { a: 1 }
    const patch = [
      { op: 'replace', path: '/a', value: 2 },
      { op: 'add', path: '/b', value: 1 },
      { op: 'test', path: '/a', value: 1 },
    ]
    expect(value(doc, patch)).toBe('failed')
    expect(doc).toEqual({ a: 1 })
  })

  it('tells a broken patch from one that does not fit, and has a limit', () => {
    expect(value({}, { op: 'add' })).toBe('malformed')
    expect(value({}, [{ op: 'jump', path: '/a' }])).toBe('malformed')
    expect(value({}, [{ op: 'remove', path: '/a' }])).toBe('failed')
    expect(value({ a: [1] }, [{ op: 'replace', path: '/a/01', value: 1 }])).toBe('failed')
    expect(
      value(
        {},
        Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/a', value: 1 })),
      ),
    ).toBe('too-many')
  })

  it('takes names of inherited members as data', () => {
    expect(value({}, [{ op: 'replace', path: '/constructor', value: 1 }])).toBe('failed')
    const done = value({}, [{ op: 'add', path: '/__proto__', value: { x: 1 } }])
    expect(Object.keys(done as object)).toEqual(['__proto__'])
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})
