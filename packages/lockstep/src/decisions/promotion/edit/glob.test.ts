import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../../test/property.ts'
import { globMatcher } from './glob.ts'

const meant = (patterns: readonly string[], path: string): boolean => globMatcher(patterns)(path)

describe('matcher', () => {
  it.each([
    [
      '**/*.yaml',
      ['a.yaml', 'a/b.yaml', 'a/b/.c.yaml', '.github/x.yaml'],
      ['a.yml', 'a.yaml/b', 'yaml', 'a.yaml~'],
    ],
    ['*.yaml', ['a.yaml', '.yaml'], ['a/b.yaml']],
    ['apps/**', ['apps/a', 'apps/a/b'], ['apps2/a', 'x/apps/a']],
    ['apps/*/prod/*.yaml', ['apps/a/prod/x.yaml'], ['apps/prod/x.yaml', 'apps/a/b/prod/x.yaml']],
    [
      'apps/**/prod/**/x?.yaml',
      ['apps/prod/x1.yaml', 'apps/a/b/prod/c/xy.yaml'],
      ['apps/prod/x.yaml', 'apps/x1.yaml'],
    ],
    ['**', ['a', 'a/b'], []],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a', 'b', 'a/b/c']],
    ['a+(b).yaml', ['a+(b).yaml'], ['aab.yaml']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['x*y*z', ['xyz', 'x-yy-z', 'xyzyz'], ['xz', 'xyzw']],
  ])('%s', (pattern, yes, no) => {
    for (const path of yes) expect([path, meant([pattern], path)]).toEqual([path, true])
    for (const path of no) expect([path, meant([pattern], path)]).toEqual([path, false])
  })

  it('one pattern is enough, and none may leave it out, in whatever order', () => {
    const patterns = ['!old/**', 'a/*', 'old/*', '!**/secret.yaml', 'b']
    const paths = ['a/x', 'a/secret.yaml', 'old/x', 'b', 'c']
    expect(paths.filter((p) => meant(patterns, p))).toEqual(['a/x', 'b'])
  })

  it('agrees with a regular expression', () => {
    const piece = fc.constantFrom('*', '?', 'a', 'b')
    const name = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((p) => p.join('').replaceAll(/\*+/g, '*'))
    const pattern = fc.array(fc.oneof(name, fc.constant('**')), { minLength: 1, maxLength: 4 })
    const path = fc.array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 5 })
    const regex = (steps: readonly string[]): RegExp =>
      new RegExp(
        `^${steps.map((s) => (s === '**' ? '(?:[^/]+/)*' : `${s.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}/`)).join('')}$`,
      )
    assertProperty(
      fc.property(pattern, path, (steps, names) => {
        expect(meant([steps.join('/')], names.join('/'))).toBe(regex(steps).test(`${names.join('/')}/`))
      }),
    )
  })

  it('takes no long time for a pattern of many stars', () => {
    const pattern = `${'**/'.repeat(40)}${'*a'.repeat(80)}`
    expect(meant([pattern], `${'aaaa/'.repeat(60)}${'a'.repeat(500)}b`)).toBe(false)
  })
})
