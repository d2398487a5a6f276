import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { compileReady } from './compiledexpression.ts'
import {
  evaluateExpression,
  expressionProblems,
  expressionRules,
  ruleFor,
  selectionHealth,
} from './expressionrule.ts'
import { healthOf } from './health.ts'
import type { HealthExpression } from './healthexpression.ts'

const entry = (e: Partial<HealthExpression>): HealthExpression => ({
  apiVersion: 'x.io/v1',
  kind: 'Machine',
  current: 'true',
  minCount: 1,
  settleSeconds: 0,
  ...e,
})
const rules = (...entries: Partial<HealthExpression>[]) => expressionRules(entries.map(entry))
const machine = (more: object = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'x.io/v1beta1',
    kind: 'Machine',
    metadata: { name: 'm', ...metadata },
    ...more,
  }) as KubeObject

const thousand = `[${Array.from({ length: 1000 }, (_, i) => i).join(', ')}]`
/** Compiles, and never ends. */
const bomb = `${thousand}.all(a, ${thousand}.all(b, ${thousand}.all(c, a + b + c + size(metadata.name) >= 0)))`

describe('what an entry says of an object', () => {
  const ready = "status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')"
  const cases: readonly [
    what: string,
    e: Partial<HealthExpression>,
    o: object,
    state: string,
    text: string,
  ][] = [
    ['current is true', { current: "status.phase == 'Up'" }, { status: { phase: 'Up' } }, 'Healthy', ''],
    [
      'current is false',
      { current: "status.phase == 'Up'" },
      { status: { phase: 'Down' } },
      'Progressing',
      'spec.health.expressions[0].current is false',
    ],
    [
      'inProgress comes first',
      { inProgress: 'true', failed: 'true', current: 'true' },
      {},
      'Progressing',
      'spec.health.expressions[0].inProgress is true',
    ],
    [
      'then failed',
      { inProgress: 'false', failed: 'true', current: 'true' },
      {},
      'Degraded',
      'spec.health.expressions[0].failed is true',
    ],
    [
      'conditions',
      { current: ready },
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      'Healthy',
      '',
    ],
    ['the whole object', { current: 'object.spec.n == 3' }, { spec: { n: 3 } }, 'Healthy', ''],
    [
      'no status yet',
      { current: ready },
      {},
      'Unknown',
      'spec.health.expressions[0].current: no such attribute(s): status',
    ],
    [
      'no such field',
      { failed: 'status.a.b == 1' },
      { status: {} },
      'Unknown',
      'spec.health.expressions[0].failed: no such key: a',
    ],
    [
      'no yes and no no',
      { current: 'status.n' },
      { status: { n: 3 } },
      'Unknown',
      'spec.health.expressions[0].current: must give a bool, gave int',
    ],
    [
      'too costly',
      { current: bomb },
      {},
      'Unknown',
      'spec.health.expressions[0].current costs more than 1000000 units; it was stopped',
    ],
    [
      'a pattern that would not end elsewhere',
      { current: "status.t.matches('^(a+)+$')" },
      { status: { t: `${'a'.repeat(40)}!` } },
      'Progressing',
      'spec.health.expressions[0].current is false',
    ],
    [
      'a status of an older generation',
      { current: 'true' },
      { status: { observedGeneration: 1 } },
      'Progressing',
      'its controller has seen generation 1 of 2',
    ],
  ]
  it.each(cases)('%s', (_, e, o, state, message) => {
    const [rule] = rules(e)
    expect(healthOf(machine(o, { generation: 2 }), 0, rule)).toEqual({ state, message, rule: rule!.path })
  })

  it('not of one that is absent or going', () => {
    const [rule] = rules({})
    expect(healthOf(undefined, 0, rule).state).toBe('Missing')
    expect(healthOf(machine({}, { deletionTimestamp: 'now' }), 0, rule).state).toBe('Progressing')
  })
})

describe('which entry decides', () => {
  const pick = (o: KubeObject, ...entries: Partial<HealthExpression>[]): number | undefined => {
    const all = rules(...entries)
    const found = ruleFor(all, o)
    return found && all.indexOf(found)
  }
  it('the most specific one, of equal ones the first; only the group counts', () => {
    const o = machine({}, { namespace: 'n', labels: { a: 'b' } })
    const any = { kind: undefined }
    expect(pick(o, any, {}, {})).toBe(1)
    expect(pick(o, {}, { labels: { a: 'b' } })).toBe(1)
    expect(pick(o, { labels: { a: 'b' } }, { name: 'm' })).toBe(1)
    expect(pick(o, { namespace: 'n' }, {})).toBe(0)
    expect(pick(o, any)).toBe(0)
  })
  it('none that is about others', () => {
    const o = machine({}, { namespace: 'n' })
    const others: Partial<HealthExpression>[] = [
      { apiVersion: 'y.io/v1' },
      { apiVersion: 'v1' },
      { kind: 'Mac' },
      { name: 'x' },
      { namespace: 'x' },
      { labels: { a: 'b' } },
      { labels: { constructor: 'b' } },
    ]
    for (const other of others) expect(pick(o, other)).toBeUndefined()
  })
})

describe('what is wrong before anything is evaluated', () => {
  const cases: readonly [Partial<HealthExpression>, string][] = [
    [{ current: 'status.' }, '.current: 1:8: Syntax error'],
    [{ failed: 'statsu.phase' }, ".failed: 1:1: undeclared reference to 'statsu'"],
    [{ inProgress: '1 + 1' }, '.inProgress: must give a bool, not int'],
    [{ current: "object.metadata.name.matches('(')" }, '.current: '],
    [{ current: 'true &&\n  "a" == 1' }, '.current: 2:7: found no matching overload'],
  ]
  it.each(cases)('%j', (e, text) => {
    const found = expressionProblems([entry({}), entry(e), entry({})])
    const said = found.map(({ field, problem }) => `${field}: ${problem}`)
    expect(said).toEqual([expect.stringContaining(`spec.health.expressions[1]${text}`)])
  })
  it('nothing of good ones', () => {
    expect(expressionProblems([entry({ current: 'has(object.status) && status.ready' })])).toEqual([])
  })
  it('is Unknown for what was published before it was checked', () => {
    const [rule] = rules({ current: 'statsu.phase' })
    expect(evaluateExpression(rule!, machine()).state).toBe('Unknown')
  })
})

describe('a selection of objects on the cluster', () => {
  const [rule] = rules({ labels: { role: 'worker' }, minCount: 2, current: 'status.ok' })
  const worker = (name: string, ok: boolean) =>
    machine({ status: { ok } }, { name, labels: { role: 'worker' } })
  it('that finds nothing, or too few, is not ready', () => {
    expect(selectionHealth(rules({})[0]!, [])).toEqual({
      state: 'Progressing',
      message: '0 of at least 1 Machines',
    })
    expect(selectionHealth(rule!, [worker('a', true), machine({ status: { ok: true } })])).toEqual({
      state: 'Progressing',
      message: '1 of at least 2 Machines',
    })
  })
  it('is ready when all of it is', () => {
    expect(selectionHealth(rule!, [worker('a', true), worker('b', true)]).state).toBe('Healthy')
    expect(selectionHealth(rule!, [worker('a', true), worker('b', false)])).toEqual({
      state: 'Progressing',
      message: 'Machine b: spec.health.expressions[0].current is false',
      rule: 'spec.health.expressions[0]',
    })
  })
})

describe('readyExpr', () => {
  it('is over object alone', () => {
    const ready = compileReady("object.status.phase == 'Up'")
    if (!ready.ok) throw new Error(ready.error[0]?.message)
    expect(ready.value.evaluate(machine({ status: { phase: 'Up' } }))).toBe(true)
    expect(ready.value.evaluate(machine({ status: { phase: 'Down' } }))).toBe(false)
    expect(ready.value.evaluate(machine())).toEqual({ type: 'error', message: 'no such key: status' })
  })
  it('has problems with their place', () => {
    expect(compileReady('status.ready')).toEqual({
      ok: false,
      error: [{ line: 1, column: 1, message: expect.stringContaining("undeclared reference to 'status'") }],
    })
  })
  it('is stopped', () => {
    const ready = compileReady(bomb.replace('metadata.name', 'object.metadata.name'))
    expect(ready.ok && ready.value.evaluate(machine())).toEqual({
      type: 'stopped',
      message: 'costs more than 1000000 units; it was stopped',
    })
  })
})
