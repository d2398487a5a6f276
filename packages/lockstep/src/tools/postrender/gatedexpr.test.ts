import { describe, expect, it } from 'vitest'
import { compile, freshBudget } from '../../../../cel/src/program/celprogram.ts'
import { anything } from '../../../../cel/src/program/celschema.ts'
import { fromJson } from '../../../../cel/src/program/fromjson.ts'
import { digestOf, type JsonObject, type JsonValue } from '../../../../kube/src/object/index.ts'
import { gatedExpr, ungatedExpr, withCarrier, withoutCarrier } from './gatedexpr.ts'

const N = digestOf('test', 'n')
const OLD = digestOf('test', 'n-1')

/** What Flux's documentation says for an upgrade in lockstep. */
const DOCUMENTED = `dep.metadata.labels['app/version'] == self.metadata.labels['app/version'] &&
dep.status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True') &&
dep.metadata.generation == dep.status.observedGeneration`

const ready = [{ type: 'Ready', status: 'True' }]

function dep(spec: JsonObject, generation: number, status: JsonObject | undefined): JsonObject {
  const metadata = { name: 'a', generation, labels: { 'app/version': 'n' } }
  return { metadata, spec, ...(status ? { status } : {}) }
}

const self = { metadata: { name: 'b', labels: { 'app/version': 'n' } } }
const atN = withCarrier({ wait: true }, N)
const bare = { wait: true }

/** `true`, `false`, or `error`. */
function ask(expression: string, of: JsonValue): string {
  const program = compile(expression, { dep: anything, self: anything })
  if (!program.ok) return `no expression: ${program.error[0]?.message}`
  expect(program.value.type).toMatch(/^(bool|dyn)$/)
  const made = program.value.evaluate({ dep: fromJson(of), self: fromJson(self) }, freshBudget())
  return made.ok ? String(made.value) : 'error'
}

describe('what a dependant asks', () => {
  it.each<[state: string, dep: JsonObject, ours: string, documented: string]>([
    ['right', dep(atN, 4, { observedGeneration: 4, conditions: ready }), 'true', 'true'],
    [
      'another digest',
      dep(withCarrier(bare, OLD), 4, { observedGeneration: 4, conditions: ready }),
      'false',
      'true',
    ],
    ['observed before', dep(atN, 4, { observedGeneration: 3, conditions: ready }), 'false', 'false'],
    ['no carrier', dep(bare, 4, { observedGeneration: 4, conditions: ready }), 'false', 'true'],
    ['never observed', dep(atN, 4, { observedGeneration: -1, conditions: ready }), 'false', 'false'],
    ['no status', dep(atN, 1, undefined), 'false', 'error'],
    [
      'no Ready condition',
      dep(atN, 4, { observedGeneration: 4, conditions: [{ type: 'Reconciling', status: 'True' }] }),
      'false',
      'true',
    ],
    [
      'the label only',
      dep({ ...bare, healthCheckExprs: [{ apiVersion: 'v1', current: 'true' }] }, 4, {
        observedGeneration: 4,
        conditions: ready,
      }),
      'false',
      'true',
    ],
  ])('of a dependency that is: %s', (_, of, ours, documented) => {
    expect(ask(gatedExpr(undefined, N), of)).toBe(ours)
    expect(ask(DOCUMENTED, of)).toBe(documented)
  })

  it.each<[string, string | undefined, string, string]>([
    ['nothing', undefined, 'true', 'false'],
    ['what is true', '1 == 1', 'true', 'false'],
    ['what is false', '1 == 2', 'false', 'false'],
    [
      'an alternative, which must not let everything through',
      "true || dep.metadata.name == 'a'",
      'true',
      'false',
    ],
    ['a choice', '1 == 2 ? true : false', 'false', 'false'],
    ['a comment at its end', 'true // https://example.com', 'true', 'false'],
  ])('is asked beside %s', (_, written, right, wrong) => {
    const expression = gatedExpr(written, N)
    expect(ask(expression, dep(atN, 4, { observedGeneration: 4, conditions: ready }))).toBe(right)
    expect(
      ask(expression, dep(withCarrier(bare, OLD), 4, { observedGeneration: 4, conditions: ready })),
    ).toBe(wrong)
    expect(ungatedExpr(expression)).toBe(written)
    expect(gatedExpr(expression, OLD)).toBe(gatedExpr(written, OLD))
  })
})

describe('the carrier', () => {
  const theirs = [{ apiVersion: 'v1', kind: 'Thing', current: 'true' }]
  it.each<[string, JsonObject]>([
    ['a spec without rules', { wait: true }],
    ['a spec with rules', { wait: true, healthCheckExprs: theirs }],
  ])('is put into %s once, and taken out of it', (_, spec) => {
    const carrying = withCarrier(spec, N)
    expect(withoutCarrier(carrying)).toEqual(spec)
    expect(withCarrier(withCarrier(spec, OLD), N)).toEqual(carrying)
  })
})
