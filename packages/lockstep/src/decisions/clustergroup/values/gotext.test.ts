import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../../kube/src/object/index.ts'
import { goNumber, goQuote, goText, isTruthy, templateText } from './gotext.ts'

describe('a number', () => {
  it.each([
    [0, '0'],
    [5, '5'],
    [-3, '-3'],
    [0.25, '0.25'],
    [999999, '999999'],
    [1000000, '1e+06'],
    [1234567, '1.234567e+06'],
    [-2500000, '-2.5e+06'],
    [123456.7, '123456.7'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [0.000012, '1.2e-05'],
    [1e100, '1e+100'],
    [9007199254740991, '9.007199254740991e+15'],
  ])('%d is written %s', (value, text) => expect(goNumber(value)).toBe(text))
})

describe('a value in a template', () => {
  it.each<[JsonValue | undefined, string]>([
    ['as it is', 'as it is'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
    [['a', 1, null], '[a 1 <nil>]'],
    [{ b: 1e6, a: { c: [] } }, 'map[a:map[c:[]] b:1e+06]'],
    [{}, 'map[]'],
  ])('%j is written %s', (value, text) => expect(templateText(value)).toBe(text))
})

describe('what has to be a text and is none says so', () => {
  it.each<[JsonValue | undefined, string]>([
    ['3', '3'],
    [3, '%!s(float64=3)'],
    [1e6, '%!s(float64=1e+06)'],
    [true, '%!s(bool=true)'],
    [null, '%!s(<nil>)'],
    [['a', 1], '[a %!s(float64=1)]'],
    [{ a: false }, 'map[a:%!s(bool=false)]'],
  ])('%j is written %s', (value, text) => expect(goText(value)).toBe(text))
})

it('true is what is not false, 0, null or empty', () => {
  for (const value of [true, 1, -1, 'false', ' ', [null], { a: null }]) expect(isTruthy(value)).toBe(true)
  for (const value of [false, 0, '', null, undefined, [], {}]) expect(isTruthy(value)).toBe(false)
})

it.each([
  ['plain text', '"plain text"'],
  ['x"y\\z', '"x\\"y\\\\z"'],
  ['a\nb\tc\r', '"a\\nb\\tc\\r"'],
  ['\u0000\u0007\b\f\v\u007f', '"\\x00\\a\\b\\f\\v\\x7f"'],
  ['é € 日 😀', '"é € 日 😀"'],
  ['\u00a0\u200b\ufeff', '"\\u00a0\\u200b\\ufeff"'],
  ['\u{e0001}', '"\\U000e0001"'],
])('quote of %j is %s', (text, quoted) => expect(goQuote(text)).toBe(quoted))
