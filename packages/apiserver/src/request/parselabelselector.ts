import { err, ok, type Result } from '@lockstep/kube/env'
import type { LabelMap } from '@lockstep/kube/object'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest } from '../status/apifailure.ts'
import { labelValue, qualifiedName } from '../write/dns1123label.ts'

export type LabelTest = (labels: LabelMap) => boolean

type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | 'absent' | '>' | '<'
interface Requirement {
  readonly key: string
  readonly operator: SelectorOperator
  readonly values: readonly string[]
}

/** A label selector as a query carries it (apimachinery pkg/labels/selector.go). */
export function parseLabelSelector(text: string): Result<LabelTest, ApiFailure> {
  const parsed = new SelectorParser(tokens(text)).parse()
  if (typeof parsed === 'string') return err(badRequest(parsed))
  for (const r of parsed) {
    const bad = problem(r)
    if (bad) return err(badRequest(bad))
  }
  return ok((labels) => parsed.every((r) => test(r, labels)))
}

function test(r: Requirement, labels: LabelMap): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, r.key) ? labels[r.key] : undefined
  switch (r.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && r.values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !r.values.includes(value)
    case 'exists':
      return value !== undefined
    case 'absent':
      return value === undefined
    case '>':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) > Number(r.values[0])
    case '<':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) < Number(r.values[0])
  }
}

function problem(r: Requirement): string | undefined {
  const key = qualifiedName(r.key)[0]
  if (key) return `key: Invalid value: ${JSON.stringify(r.key)}: ${key}`
  if (r.operator === '>' || r.operator === '<')
    return /^-?\d+$/.test(r.values[0] ?? '')
      ? undefined
      : `values[0]: Invalid value: ${JSON.stringify(r.values[0] ?? '')}: for 'Gt', 'Lt' operators, the value must be an integer`
  for (const [i, v] of r.values.entries()) {
    const bad = labelValue(v)[0]
    if (bad) return `values[${i}][${r.key}]: Invalid value: ${JSON.stringify(v)}: ${bad}`
  }
  return undefined
}

const SPECIAL = /\s*(==|!=|[=!><(),]|[^\s=!><(),]+)/gy

/** The pieces of the text; the empty one is the end. */
function tokens(text: string): string[] {
  const out: string[] = []
  for (const m of text.matchAll(SPECIAL)) out.push(m[1]!)
  out.push('')
  return out
}

const isIdentifier = (t: string): boolean => t !== '' && !/^(==|!=|[=!><(),])$/.test(t)

class SelectorParser {
  private pos = 0
  private readonly tokens: readonly string[]
  constructor(list: readonly string[]) {
    this.tokens = list
  }

  /** Requirements, or what is wrong. */
  parse(): Requirement[] | string {
    const out: Requirement[] = []
    for (;;) {
      const t = this.peek()
      if (t === '') return out
      if (!isIdentifier(t) && t !== '!') return `found '${t}', expected: !, identifier, or 'end of string'`
      const r = this.requirement()
      if (typeof r === 'string') return r
      out.push(r)
      const after = this.next()
      if (after === '') return out
      if (after !== ',') return `found '${after}', expected: ',' or 'end of string'`
      const more = this.peek()
      if (!isIdentifier(more) && more !== '!') return `found '${more}', expected: identifier after ','`
    }
  }

  private requirement(): Requirement | string {
    if (this.peek() === '!') {
      this.next()
      const key = this.next()
      return isIdentifier(key)
        ? { key, operator: 'absent', values: [] }
        : `found '${key}', expected: identifier`
    }
    const key = this.next()
    const t = this.peek()
    if (t === '' || t === ',') return { key, operator: 'exists', values: [] }
    const operator = this.next()
    if (operator === 'in' || operator === 'notin') return this.set(key, operator)
    if (!['=', '==', '!=', '>', '<'].includes(operator))
      return `found '${operator}', expected: in, notin, =, ==, !=, gt, lt`
    const value = this.peek()
    if (value === '' || value === ',') return { key, operator: operator as SelectorOperator, values: [''] }
    if (!isIdentifier(value)) return `found '${value}', expected: identifier`
    return { key, operator: operator as SelectorOperator, values: [this.next()] }
  }

  private set(key: string, operator: 'in' | 'notin'): Requirement | string {
    const open = this.next()
    if (open !== '(') return `found '${open}' expected: '('`
    const values: string[] = []
    let wantsValue = true
    for (;;) {
      const t = this.next()
      if (t === ')') {
        if (wantsValue) values.push('')
        return { key, operator, values }
      }
      if (t === ',') {
        if (wantsValue) values.push('')
        wantsValue = true
      } else if (isIdentifier(t) && wantsValue) {
        values.push(t)
        wantsValue = false
      } else return `found '${t}', expected: ',', or ')'`
    }
  }

  private peek(): string {
    return this.tokens[this.pos] ?? ''
  }

  private next(): string {
    return this.tokens[this.pos++] ?? ''
  }
}
