import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../../kube/src/object/index.ts'
import { readPlainScalar } from './plainscalar.ts'

describe('a text without quotes is read once more', () => {
  it.each<[string, JsonValue]>([
    ['stable', 'stable'],
    ['5.8', 5.8],
    ['5.10', 5.1],
    ['7.12.0', '7.12.0'],
    ['yes', true],
    ['Off', false],
    ['1e3', 1000],
    ['0755', 493],
    ['0x1F', 31],
    ['1_000', 1000],
    ['1:30', '1:30'],
    ['2024-11-07', '2024-11-07'],
    ['', null],
    ['~', null],
    ['Null', null],
    ['=', '='],
    ['  stable \n', 'stable'],
    ['https://git.example.com/a.git', 'https://git.example.com/a.git'],
    ['0.1.*', '0.1.*'],
    ['$patternref', '$patternref'],
    ['-1', -1],
    ['-a', '-a'],
    [':a', ':a'],
    ['a#b', 'a#b'],
    ['a, [b]', 'a, [b]'],
    ['12345678901234567890', 12345678901234567000],
  ])('%j is %j', (text, value) => expect(readPlainScalar(text)).toEqual({ ok: true, value }))
})

describe('words and numbers of YAML 1.1', () => {
  const words = (all: string, value: JsonValue): [string, JsonValue][] =>
    all.split(' ').map((text) => [text, value])
  it.each<[string, JsonValue]>([
    ...words('y Y yes Yes YES true True TRUE on On ON', true),
    ...words('n N no No NO false False FALSE off Off OFF', false),
    ...words('~ null Null NULL', null),
    ...words('493 4_9_3 0755 0o755 0x1ED 0b111101101', 493),
    ...words('1000 1e3 1.0e+3 1000.0', 1000),
    ...words('.5 0.5 5e-1', 0.5),
    ['1.10', 1.1],
    ['-0755', -493],
  ])('%s is %j', (text, value) => expect(readPlainScalar(text)).toEqual({ ok: true, value }))
  it.each(['tRUE', 'oN', 'nULL', '0x', '0b2', '1e', '1.2.3', 'yes!'])('%s is text', (text) =>
    expect(readPlainScalar(text)).toEqual({ ok: true, value: text }),
  )
})

describe('what YAML would read as something else, or not at all, is no plain value', () => {
  it.each([
    ...['{a}', '[a]', '*a', '&a', '!a', '|', '>', "'a'", '"a"', '%a', '@a', '`a`', '#a', ',a', ']', '}'],
    ...['a: b', 'a:', 'a:\tb', 'a #b', '- a', '-', '? a', ': a', 'a\nb', '\na', 'a\u0000', '.inf', '.nan'],
  ])('%j', (text) => expect(readPlainScalar(text).ok).toBe(false))
})
