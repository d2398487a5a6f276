import { describe, expect, it } from 'vitest'
import { renderProblems } from '../syntax/celproblem.ts'
import { list, none, some } from '../value/celvalue.ts'
import { billion, comparisons, growing, growth, program } from './celprogram.cases.ts'
import { compile, freshBudget, PER_CALL_LIMIT } from './celprogram.ts'
import { anything, declared, optionally } from './celschema.ts'
import { fromJson, toJson } from './fromjson.ts'

describe('limits', () => {
  it('stops a call that costs more than a million', () => {
    const budget = freshBudget()
    expect(program(billion).evaluate({}, budget)).toEqual({
      ok: false,
      error: { kind: 'call', message: 'operation cancelled: actual cost limit exceeded' },
    })
    expect(budget.left).toBe(10_000_000 - PER_CALL_LIMIT - 1)
  })

  it('stops a series that has spent its budget, even where an error would be absorbed', () => {
    const p = program('[1, 2, 3].all(x, x > 0) || true')
    const budget = { left: 40 }
    expect(p.evaluate({}, budget).ok).toBe(true)
    expect(p.evaluate({}, budget).ok).toBe(true)
    const third = p.evaluate({}, budget)
    expect(third.ok ? 'ok' : third.error.kind).toBe('budget')
    expect(budget.left).toBeLessThan(0)
  })

  it('matches patterns in linear time', () => {
    const p = program(`'${'a'.repeat(40)}!'.matches('^(a+)+$')`)
    expect(p.evaluate({}, freshBudget())).toEqual({ ok: true, value: false })
  })

  it('fills lists in place: a map over many elements is linear', () => {
    const p = program('self.map(x, x + 1).size()', { self: anything })
    const self = list(Array.from({ length: 30_000 }, (_, i) => BigInt(i)))
    expect(p.evaluate({ self }, freshBudget())).toEqual({ ok: true, value: 30_000n })
  })

  it.each(growing)('bounds %s', (_, start, step) => {
    const result = growth(start, step).evaluate({}, freshBudget())
    expect(result).toEqual({ ok: false, error: { kind: 'error', message: 'value is too long' } })
  })

  it('stops who compares large lists again and again', () => {
    const self = list(Array.from({ length: 30_000 }, () => 1n))
    const result = comparisons().evaluate({ self }, freshBudget())
    expect(result.ok ? 'ok' : result.error.kind).toBe('call')
  })

  it('stops who joins long lists again and again', () => {
    const p = program('self.all(x, (self + self).size() > 0)', { self: anything })
    const self = list(Array.from({ length: 30_000 }, () => 1n))
    const result = p.evaluate({ self }, freshBudget())
    expect(result.ok ? 'ok' : result.error.kind).toBe('call')
  })

  it('refuses what is nested too deep or too long, and takes long chains', () => {
    const message = (text: string): string | undefined => {
      const compiled = compile(text, {})
      return compiled.ok ? undefined : compiled.error[0]!.message
    }
    expect(message(`${'('.repeat(300)}true${')'.repeat(300)}`)).toBe(
      'expression recursion limit exceeded: 250',
    )
    expect(message(Array(300).fill('1').join(' + '))).toBe('expression recursion limit exceeded: 250')
    expect(message(`${'a'.repeat(100_001)}`)).toBe(
      'expression code point size exceeds limit: size: 100001, limit 100000',
    )
    expect(message(Array(5000).fill('true').join(' && '))).toBeUndefined()
  })
})

describe('programs', () => {
  it('are compiled once and evaluated many times', () => {
    const p = program('self.map(x, x * 2)', { self: anything })
    for (const n of [1n, 2n]) {
      const result = p.evaluate({ self: list([n]) }, freshBudget())
      expect(result.ok && toJson(result.value)).toEqual([Number(n * 2n)])
    }
  })

  it('say what they read and of which type they are', () => {
    const p = program('self.a == oldSelf.a', { self: anything, oldSelf: anything })
    expect([...p.reads].sort()).toEqual(['oldSelf', 'self'])
    expect(p.type).toBe('bool')
  })

  it('know an old object that may be missing', () => {
    const text = { type: 'string', maxLength: 10 }
    const declarations = { self: declared(text, 'self')!, oldSelf: optionally(declared(text, 'self')!) }
    const p = program('!oldSelf.hasValue() || oldSelf.value() == self', declarations)
    expect(p.evaluate({ self: 'a', oldSelf: none }, freshBudget())).toEqual({ ok: true, value: true })
    expect(p.evaluate({ self: 'a', oldSelf: some('b') }, freshBudget())).toEqual({ ok: true, value: false })
  })

  it('fail where a variable has no value, and only where it is needed', () => {
    const p = program('true || self.a', { self: anything })
    expect(p.evaluate({}, freshBudget())).toEqual({ ok: true, value: true })
    const needed = program('self.a', { self: anything }).evaluate({}, freshBudget())
    expect(needed).toEqual({ ok: false, error: { kind: 'error', message: 'no such attribute(s): self' } })
  })

  it('treat names of prototypes as data', () => {
    const p = program('has(object.constructor) || has(object.__proto__) || "toString" in object', {
      object: anything,
    })
    expect(p.evaluate({ object: fromJson({ a: 1 }) }, freshBudget())).toEqual({ ok: true, value: false })
    expect(compile('double("constructor")', {})).toEqual({
      ok: false,
      error: [{ line: 0, column: 0, message: "type conversion error from 'string' to 'double'" }],
    })
    const bound = program('constructor', { constructor: anything })
    expect(bound.evaluate({}, freshBudget()).ok).toBe(false)
  })
})

describe('problems', () => {
  it('are printed as kube-apiserver prints them', () => {
    const text = 'self.names.all(n,\n\tn + 1)'
    const names = { type: 'array', items: { type: 'string' } }
    const self = declared({ type: 'object', properties: { names } }, 'self')!
    const compiled = compile(text, { self })
    expect(compiled.ok ? '' : renderProblems(text, compiled.error)).toBe(
      "ERROR: <input>:2:4: found no matching overload for '_+_' applied to '(string, int)'\n |  n + 1)\n | ...^",
    )
  })

  it('count code points, and mark wide ones wide', () => {
    const text = '"𝄞é" + 1'
    const compiled = compile(text, {})
    expect(compiled.ok ? '' : renderProblems(text, compiled.error)).toBe(
      "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'\n | \"𝄞é\" + 1\n | .．．..^",
    )
  })
})
