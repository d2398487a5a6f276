/** Values files at the limits of the reader. */
import { expect } from 'vitest'
import { hub } from '../clustergroup.cases.ts'

/** Each line has ten aliases of the line before. */
const bomb = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, i) =>
      `a${i}: &a${i} [${Array(10)
        .fill(i ? `*a${i - 1}` : 'x')
        .join(', ')}]\n`,
  ).join('')

/** Name, text, message of the refusal. */
export const noValuesFiles: readonly (readonly [string, string, RegExp])[] = [
  ['a tab', 'global:\n\tpattern: p\n', /^read: values.yaml:2:1: tab characters/],
  ['ten lines of aliases', bomb(10), /^read: values.yaml:2:10: aliases make more than 1000000 values/],
  ['brackets', '['.repeat(100_000), /^read: values.yaml:1:\d+: nesting/],
  ['infinity', 'a: .inf', /^read: values.yaml:1:1: Infinity is not a value/],
  ['a list', '- a', /^read: values.yaml: is not a mapping/],
  ['two documents', 'a: 1\n---\nb: 1\n', /^read: values.yaml: has 2 documents; a values file is one$/],
  ['2 MiB', `a: ${'x'.repeat(2 ** 21)}`, /^read: values.yaml: 2049 KiB, the limit is 256 KiB/],
]

/** Nearly as large as a values file may be. */
export function largestValues(): string {
  const many = Array.from(
    { length: 1600 },
    (_, i) =>
      `o${i}:\n  name: operator-${i}\n  channel: 1.10\n  annotations: {example.com/wave: 1e3, other: text}\n  # ${'-'.repeat(40)}`,
  )
  const text = hub(`subscriptions:\n${many.join('\n').replace(/^/gm, '  ')}`)
  expect(text.length).toBeGreaterThan(225 * 1024)
  return text
}
