import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty, expectSeen } from '../../../../../../test/property.ts'
import { edits } from '../../../api/kinds/promotion/edits.ts'
import { valuePathSteps } from './valuepath.ts'

const isPath = (path: string): boolean => edits.safeParse([{ file: 'a', path }]).success

describe('stepsOf', () => {
  it.each([
    ['spec.chart.spec.version', ['spec', 'chart', 'spec', 'version'].map((key) => ({ kind: 'key', key }))],
    [
      'a[0][12].b',
      [
        { kind: 'key', key: 'a' },
        { kind: 'index', index: 0 },
        { kind: 'index', index: 12 },
        { kind: 'key', key: 'b' },
      ],
    ],
    [
      '[name=a.b: c].x',
      [
        { kind: 'named', key: 'name', is: 'a.b: c' },
        { kind: 'key', key: 'x' },
      ],
    ],
    ['a["b.c/d"].e', ['a', 'b.c/d', 'e'].map((key) => ({ kind: 'key', key }))],
  ])('%s', (path, steps) => expect(valuePathSteps(path)).toEqual(steps))

  it('knows every path that the schema of edits takes', () => {
    const piece = fc.constantFrom(
      'a',
      'b-c',
      '.',
      '[',
      ']',
      '0',
      '"',
      '=',
      ' ',
      '[0]',
      '[a=b]',
      '["x.y"]',
      '.k',
    )
    const path = fc.array(piece, { minLength: 1, maxLength: 6 }).map((p) => p.join(''))
    let count = 0
    assertProperty(
      fc.property(path, (p) => {
        if (!isPath(p)) return
        count++
        expect(valuePathSteps(p)).toBeDefined()
      }),
    )
    expectSeen(count, 1 / 10)
  })
})
