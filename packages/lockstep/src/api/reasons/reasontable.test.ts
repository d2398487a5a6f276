import { describe, expect, it } from 'vitest'
import { blocked, keepSince, type NewBlocker, summarized } from '../blocker.ts'
import { type ClusterList, type ReasonRow, reason, text, textOf } from './reason.ts'
import {
  adviceOf,
  isKnownFact,
  messageOf,
  reasonTable,
  renderedExample,
  setMessageOf,
} from './reasontable.ts'
import { oneOrMore, type WaitRef, type WaitRefOf } from './waitref.ts'

/** An example, whatever its reason. */
type RawExample = Readonly<Record<string, unknown>> & {
  readonly on: readonly WaitRef[]
  readonly clusters?: ClusterList
}

const rows = Object.entries(reasonTable) as unknown as readonly [keyof typeof reasonTable, ReasonRow][]
const examples = rows.flatMap(([name, row]) =>
  row.examples.map(
    (example, i) => [`${name} ${i}`, { name, row, example, ...renderedExample(name, example) }] as const,
  ),
)

/** All values of an example: of its facts, and names of its references. */
const valuesOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(valuesOf)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesOf)
  return value === undefined ? [] : [String(value)]
}

describe('every reason', () => {
  it.each(examples)(
    '%s: its message is one line that says what, with a value of its facts',
    (_, { message, example }) => {
      expect(message.length).toBeLessThanOrEqual(140)
      expect(message).not.toMatch(/\.$|\n|undefined|\[object|=>/)
      // A lower-case word, or an identifier, which is a value or a kind.
      const [first = ''] = message.split(/[ :]/)
      expect(
        first === first.toLowerCase() ||
          /^(?:spec|status|metadata)\./.test(first) ||
          /^(?:[A-Z][a-z]+){2,}$|^(?:Holds?|Approval|Module|Namespace|Secret|Job|Pod|Promotion|Pipeline|PersistentVolumeClaim)$/.test(
            first,
          ) ||
          valuesOf(example).some((v) => v.startsWith(first)),
      ).toBe(true)
      const has = (v: string): boolean => v.split(', ').some((part) => message.includes(part))
      expect(valuesOf(example).some(has)).toBe(true)
    },
  )

  it.each(rows.flatMap(([name, row]) => (row.setMessage ? [[name, row] as const] : [])))(
    '%s: its message to the author of a set names no field of a Module',
    (name, row) => {
      const { on, clusters: _, ...facts } = row.examples[0] as RawExample
      const message = textOf(setMessageOf({ reason: name, on, facts })!)
      expect(message.length).toBeLessThanOrEqual(140)
      expect(message).not.toMatch(/\.$|\n|undefined|\[object|spec\.apply|this Module/)
    },
  )

  it.each(examples)('%s: its advice is an imperative without a period', (_, { advice }) => {
    expect(advice).toMatch(/^[a-z]/)
    expect(advice).not.toMatch(/\.$|\n|undefined|\[object|=>/)
  })

  it.each(rows)('%s: its examples are facts that a reader takes, its meaning is a sentence', (name, row) => {
    expect(row.meaning).toMatch(/^[A-Z`].*\.$/)
    for (const { on, clusters, ...facts } of row.examples as readonly RawExample[]) {
      expect(isKnownFact({ reason: name, on: on as never, facts })).toBe(true)
      expect(on.length).toBeLessThanOrEqual(8)
      expect(clusters === undefined || clusters.count > 0).toBe(true)
      for (const ref of on) expect(row.on.kinds).toContain(ref.kind)
    }
  })
})

describe('a stored blocker', () => {
  const on: [WaitRefOf<'Unit'>] = [{ kind: 'Unit', name: 'certs', cluster: 'c1' }]
  const facts = { edge: 'certs', module: 'hello', release: '1', requires: '2' } as const
  const b = blocked('ReleaseMismatch', on, facts)

  it('has advice while its facts are known', () => {
    expect(adviceOf(b)).toBe(
      'publish both at one release, or hello with release: Any on the dependency certs',
    )
    expect(adviceOf({ ...b, facts: { edge: 'certs' } })).toBeUndefined()
    expect(adviceOf({ ...b, facts: undefined })).toBeUndefined()
    expect(adviceOf({ ...b, reason: 'FromTheFuture' })).toBeUndefined()
    expect(adviceOf({ ...b, facts: { ...facts, later: 1 } })).toBeDefined()
  })

  it('of a newer controller keeps its message in a summary', () => {
    const later = { reason: 'FromTheFuture' as 'Halted', on, facts: {}, message: 'stored' }
    const [summary] = summarized([{ cluster: 'c1', blocker: later }])
    expect(summary).toMatchObject({ message: 'stored', count: 1, clusters: ['c1'] })
    const [changed] = summarized([
      { cluster: 'c1', blocker: { ...b, facts: { edge: 1 }, message: 'stored' } },
    ])
    expect(changed?.message).toBe('stored')
  })

  it('keeps its age while reason, references and dependency are the same, whatever its other facts are', () => {
    const old = keepSince([b], undefined, 'then')
    const since = (next: typeof b) => keepSince([next], old, 'now')[0]!.since
    expect(since(blocked('ReleaseMismatch', on, { ...facts, release: '3' }))).toBe('then')
    expect(since(blocked('ReleaseMismatch', on, { ...facts, edge: 'other' }))).toBe('now')
    expect(since(blocked('ReleaseMismatch', [{ ...on[0], cluster: 'c2' }], facts))).toBe('now')
  })

  it('keeps its age with other references only where those are a sample', () => {
    const unit = (cluster: string): WaitRefOf<'Unit'> => ({ kind: 'Unit', name: 'hello', cluster })
    const since = (before: NewBlocker, next: NewBlocker) =>
      keepSince([next], keepSince([before], undefined, 'then'), 'now')[0]!.since
    const limit = { limit: 'maxUnavailable', used: 1, max: 1, waiting: 2, unhealthy: [], unhealthyCount: 0 }
    const reached = (cluster: string) => blocked('RolloutLimit', [unit(cluster)], limit)
    expect(since(reached('c1'), reached('c2'))).toBe('then')
    const refs = { field: 'spec.source', problem: 'p' } as const
    const invalid = (cluster: string) => blocked('InvalidSpec', [unit(cluster)], refs)
    expect(since(invalid('c1'), invalid('c2'))).toBe('now')
    expect(since(invalid('c1'), invalid('c1'))).toBe('then')
  })

  it('of many clusters is one, with their number and the first names; other facts are another', () => {
    const missing = (cluster: string, edge = 'db') => ({
      cluster,
      blocker: blocked(
        'DependencyMissing',
        [{ kind: 'Object', name: edge, cluster, object: { apiVersion: 'v1', kind: 'ConfigMap' } }],
        { edge },
      ),
    })
    const names = Array.from({ length: 12 }, (_, i) => `c${i + 1}`)
    const found = summarized([...names.map((c) => missing(c)), missing('c1', 'cache')])
    expect(found).toMatchObject([
      { count: 12, clusters: names.slice(0, 10), on: [{ cluster: '$self' }] },
      { count: 1, clusters: ['c1'] },
    ])
    expect(found.map((f) => f.message)).toEqual([
      'waiting for ConfigMap db on 12 clusters (c1, c2, c3, …): not found',
      'waiting for ConfigMap cache on c1: not found',
    ])
  })
})

describe('the type checker', () => {
  const on: [WaitRefOf<'Unit'>] = [{ kind: 'Unit', name: 'certs', cluster: 'c1' }]
  const facts = { edge: 'certs', module: 'hello', release: '1', requires: '2' } as const
  const row = {
    actor: 'none',
    on: oneOrMore('Unit'),
    facts: { edge: text },
    message: () => 'm',
    meaning: 'M.',
    advice: () => 'a',
    examples: [{ on, edge: 'e' }],
  } as const

  it('refuses a row without references, facts or message', () => {
    const { on: _on, ...withoutRefs } = row
    const { facts: _facts, ...withoutFacts } = row
    const { message: _message, ...withoutMessage } = row
    // @ts-expect-error `on` is required.
    expect(reason(withoutRefs)).toBe(withoutRefs)
    // @ts-expect-error `facts` is required.
    expect(reason(withoutFacts)).toBe(withoutFacts)
    // @ts-expect-error `message` is required.
    expect(reason(withoutMessage)).toBe(withoutMessage)
  })

  it('refuses a blocker without a reference or a fact that its reason needs, and with a sentence', () => {
    // @ts-expect-error A unit is required.
    expect(isKnownFact(blocked('ReleaseMismatch', [], facts))).toBe(false)
    // @ts-expect-error Facts are missing.
    expect(isKnownFact(blocked('ReleaseMismatch', on, { edge: 'certs' }))).toBe(false)
    // @ts-expect-error A sentence is not a fact.
    expect(() => isKnownFact(blocked('ReleaseMismatch', on, 'certs is at release 1'))).not.toThrow()
  })

  it('gives a rendered message no method of a string', () => {
    const message = messageOf({ reason: 'ReleaseMismatch', on, facts })
    // @ts-expect-error Printers use `textOf`.
    expect(message.startsWith('dependency')).toBe(true)
    expect(textOf(message)).toMatch(/^dependency certs/)
  })
})
