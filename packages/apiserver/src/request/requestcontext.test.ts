import { expect, it } from 'vitest'
import { warnTo } from './requestcontext.ts'

const told = (...texts: readonly string[]): string[] => {
  const out: string[] = []
  const warn = warnTo(out)
  for (const text of texts) warn(text)
  return out
}

it('a warning is told once, and whole as long as there is room for all', () => {
  const long = 'a'.repeat(4000)
  expect(told(long, 'b', long, '', 'b')).toEqual([long, 'b'])
})

it('beyond 4,096 characters each is cut to 256, those before too', () => {
  const long = 'ñ'.repeat(4000)
  expect(told(long, 'short', 'x'.repeat(300))).toEqual(['ñ'.repeat(256), 'short', 'x'.repeat(256)])
})

it('characters are counted, not what they are made of', () => {
  const faces = '😀'.repeat(2048)
  expect(told(faces, '😀'.repeat(2047))).toEqual([faces, '😀'.repeat(2047)])
})

it('what has no room even so is left out', () => {
  const many = Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(300, '.'))
  expect(told(...many)).toEqual(many.slice(0, 16).map((t) => t.slice(0, 256)))
})
