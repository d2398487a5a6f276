/** Random files: what differs afterwards is the line of a marked value, and what reads differently is that value. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MARKED, MARKER, type MarkedFile, markedFile } from '../../../../../../test/arbitrary/markedyaml.ts'
import { assertProperty, SEED } from '../../../../../../test/property.ts'
import { isArray, isObject, type JsonValue, parseYamlStream } from '../../../../../kube/src/object/index.ts'
import type { RepoFile } from '../repofile.ts'
import { edit } from './edit.ts'

const versions = fc.constantFrom(
  '6.0.1',
  '1.10',
  'on',
  '0777',
  'v2',
  'main@sha1:0abc',
  "it's",
  'a: b',
  '1e3',
  '~1.2',
)

function file(path: string, text: string): RepoFile {
  const bytes = new TextEncoder().encode(text)
  return { path, kind: 'file', size: bytes.length, bytes }
}

const edited = (files: readonly RepoFile[], revision: string) =>
  edit({ edits: [{ marker: true }], files, marker: MARKER, revision, facts: {}, where: 'o/r@main' })

const decoded = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

/** Each marked value replaced, and nothing else. */
function promoted(value: JsonValue, revision: string): JsonValue {
  if (typeof value === 'string') return new RegExp(`^${MARKED.source}$`).test(value) ? revision : value
  if (isArray(value)) return value.map((v) => promoted(v, revision))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, promoted(v!, revision)]))
}

function expectOnlyMarkedLines(before: string, after: string): void {
  const [old, now] = [before.split('\n'), after.split('\n')]
  expect(now).toHaveLength(old.length)
  for (const [i, line] of old.entries()) {
    const [head, tail, ...more] = line.split(MARKED)
    expect(more).toEqual([])
    if (tail === undefined) expect(now[i]).toBe(line)
    else expect([now[i]!.startsWith(head!), now[i]!.endsWith(tail)]).toEqual([true, true])
  }
}

function expectPromoted({ text }: MarkedFile, after: string, revision: string): void {
  expectOnlyMarkedLines(text, after)
  expect(parseYamlStream(after)).toEqual(parseYamlStream(text).map((v) => promoted(v, revision)))
}

describe('random files', () => {
  it('differ in the lines of marked values, and in those values', () => {
    assertProperty(
      fc.property(markedFile, versions, (one, revision) => {
        const made = edited([file('a.yaml', one.text)], revision)
        if (one.count === 0) {
          expect(made).toMatchObject({ ok: false, error: [{ reason: 'NothingToEdit' }] })
          return
        }
        if (!made.ok) expect(made.error).toEqual([])
        if (!made.ok) return
        expect(made.value.places).toHaveLength(one.count)
        for (const p of made.value.places) {
          const line = one.text.split('\n')[p.line - 1]!.replace('\uFEFF', '')
          expect(line.slice(p.column - 1, p.column - 1 + p.before.length)).toBe(p.before)
        }
        expectPromoted(one, decoded(made.value.changed.get('a.yaml')!), revision)
      }),
    )
  })

  it('200 of one repository at once', () => {
    const all = fc.sample(markedFile, { numRuns: 200, seed: SEED })
    const made = edited(
      all.map(({ text }, i) => file(`x/${i}.yaml`, text)),
      '1.10',
    )
    expect(made).toMatchObject({ ok: true })
    if (!made.ok) return
    expect([...made.value.changed.keys()].toSorted()).toEqual(
      all.flatMap(({ count }, i) => (count > 0 ? [`x/${i}.yaml`] : [])).toSorted(),
    )
    expect(made.value.places).toHaveLength(all.reduce((sum, { count }) => sum + count, 0))
    for (const [i, one] of all.entries()) {
      const after = made.value.changed.get(`x/${i}.yaml`)
      if (after) expectPromoted(one, decoded(after), '1.10')
    }
  })

  it('with one value that cannot be changed, wherever it is: its place, and nothing is changed', () => {
    const comment = `# {"$promotion": "${MARKER}"}`
    const bad = fc.constantFrom<readonly [line: string, column: number]>(
      [`z: *shared ${comment}`, 4],
      [`z: !!str 1 ${comment}`, 10],
      [`z: | ${comment}`, 4],
      [`z: {a: 1, b: 2} ${comment}`, 17],
      [`z: 1 # {"$promotion": "${MARKER}:part"}`, 6],
    )
    assertProperty(
      fc.property(
        fc.array(markedFile, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        bad,
        (files, n, [line, column]) => {
          const path = `${n % files.length}.yaml`
          const texts = files.map(({ text }, i) =>
            `${i}.yaml` === path ? `${text}\n---\nshared: &shared 1\n${line}\n` : text,
          )
          const made = edited(
            texts.map((text, i) => file(`${i}.yaml`, text)),
            '6.0.1',
          )
          const at = texts[n % files.length]!.trimEnd().split('\n').length
          expect(made.ok ? [] : made.error.map((e) => e.message)).toEqual([
            expect.stringContaining(`${path}:${at}:${column} in o/r@main: `),
          ])
        },
      ),
      { part: 1 / 10 },
    )
  })
})
