import type { FoundAt } from './celproblem.ts'
import { type Expr, type Make, numbering } from './celexpr.ts'
import { bytesLiteral, numberLiteral, stringLiteral } from './stringliteral.ts'
import { expandMacro } from './expandmacro.ts'
import { type Token, tokenize } from './tokenize.ts'

const MOST_CODE_POINTS = 100_000
const DEEPEST = 250
const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
const RELATIONS = ['<', '<=', '>=', '>', '==', '!=', 'in']

export interface Parsed {
  /** Absent where the text is no expression. */
  readonly expr?: Expr
  readonly found: readonly FoundAt[]
}

/** State of one parse: the tokens, where it is, how deep, and what it has found wrong. */
interface Parser {
  readonly tokens: readonly Token[]
  readonly make: Make
  readonly found: FoundAt[]
  next: number
  depth: number
}

/** Parses CEL with Kubernetes' macros expanded. One syntax error ends it; errors of tokens and macros are collected. */
export function parse(text: string): Parsed {
  const size = [...text].length
  if (size > MOST_CODE_POINTS)
    return {
      found: [
        {
          at: 0,
          message: `expression code point size exceeds limit: size: ${size}, limit ${MOST_CODE_POINTS}`,
        },
      ],
    }
  const { tokens, found } = tokenize(text)
  const p: Parser = { tokens, make: numbering(), found: [...found], next: 0, depth: 0 }
  const expr = conditional(p)
  if (expr && peek(p).kind !== 'EOF') {
    const alone = p.tokens[p.next + 1]?.kind === 'EOF'
    return stop(p, `${alone ? 'extraneous' : 'mismatched'} input '${peek(p).text}' expecting <EOF>`)
  }
  return p.found.length > 0 || !expr ? { found: p.found } : { expr, found: [] }
}

const peek = (p: Parser): Token => p.tokens[p.next]!
const sees = (p: Parser, text: string): boolean => peek(p).kind === 'sign' && peek(p).text === text

function take(p: Parser, text: string): Token | undefined {
  if (!sees(p, text)) return undefined
  return p.tokens[p.next++]
}

/** Reports at the next token; the parse ends there. */
function stop(p: Parser, message: string): { readonly found: readonly FoundAt[] } {
  p.found.push({ at: peek(p).at, message: `Syntax error: ${message}` })
  return { found: p.found }
}

/** Takes the sign, or says which way it is missing: alone (what follows could come after it), or not at all. */
function expect(
  p: Parser,
  sign: string,
  after: 'operand' | 'operator',
  expecting = `'${sign}'`,
): Token | undefined {
  const token = take(p, sign)
  if (token) return token
  const { text } = peek(p)
  const fits = after === 'operand' ? startsOperand(peek(p)) : peek(p).kind === 'EOF'
  stop(
    p,
    fits && expecting === `'${sign}'`
      ? `missing ${expecting} at '${text}'`
      : `mismatched input '${text}' expecting ${expecting}`,
  )
  return undefined
}

const startsOperand = (t: Token): boolean =>
  t.kind === 'sign' ? /^(?:[[{(.!-]|true|false|null)$/.test(t.text) : t.kind !== 'EOF'

/** Runs one level deeper, as long as there may be one: neither parser nor checker nor evaluator runs out of stack. */
function deeper(p: Parser, rule: (p: Parser) => Expr | undefined): Expr | undefined {
  if (p.depth >= DEEPEST) {
    p.found.push({ at: peek(p).at, message: `expression recursion limit exceeded: ${DEEPEST}` })
    return undefined
  }
  p.depth++
  const expr = rule(p)
  p.depth--
  return expr
}

function conditional(p: Parser): Expr | undefined {
  return deeper(p, () => {
    const condition = logical(p, '||', '_||_', () => logical(p, '&&', '_&&_', () => relation(p)))
    const mark = condition && take(p, '?')
    if (!mark) return condition
    const yes = logical(p, '||', '_||_', () => logical(p, '&&', '_&&_', () => relation(p)))
    if (!yes || !expect(p, ':', 'operand')) return undefined
    const no = conditional(p)
    return no && p.make({ kind: 'call', at: mark.at, fn: '_?_:_', args: [condition, yes, no] })
  })
}

/** A chain of one operator becomes a balanced tree: a long one is not a deep one. */
function logical(p: Parser, sign: string, fn: string, operand: () => Expr | undefined): Expr | undefined {
  const first = operand()
  if (!first) return undefined
  const terms = [first]
  const places: number[] = []
  for (let token = take(p, sign); token; token = take(p, sign)) {
    const term = operand()
    if (!term) return undefined
    terms.push(term)
    places.push(token.at)
  }
  return places.length === 0 ? first : balanced(p, fn, terms, places, 0, places.length - 1)
}

function balanced(p: Parser, fn: string, terms: Expr[], places: number[], low: number, high: number): Expr {
  const middle = (low + high + 1) >> 1
  const left = middle === low ? terms[middle]! : balanced(p, fn, terms, places, low, middle - 1)
  const right = middle === high ? terms[middle + 1]! : balanced(p, fn, terms, places, middle + 1, high)
  return p.make({ kind: 'call', at: places[middle]!, fn, args: [left, right] })
}

/** Operators of one rank, from the left. */
function chain(
  p: Parser,
  signs: readonly string[],
  operand: (p: Parser) => Expr | undefined,
): Expr | undefined {
  const before = p.depth
  let left = operand(p)
  while (left && peek(p).kind === 'sign' && signs.includes(peek(p).text)) {
    const token = p.tokens[p.next++]!
    p.depth++
    const right: Expr | undefined = deeper(p, operand)
    if (!right) return undefined
    const fn = token.text === 'in' ? '@in' : `_${token.text}_`
    left = p.make({ kind: 'call', at: token.at, fn, args: [left, right] })
  }
  p.depth = before
  return left
}

const relation = (p: Parser): Expr | undefined => chain(p, RELATIONS, sum)
const sum = (p: Parser): Expr | undefined => chain(p, ['+', '-'], product)
const product = (p: Parser): Expr | undefined => chain(p, ['*', '/', '%'], unary)

/** `!!x` is x and `--x` is x: an even number of signs vanishes. */
function unary(p: Parser): Expr | undefined {
  const sign = take(p, '!') ?? (negativeNumber(p) ? undefined : take(p, '-'))
  if (!sign) return member(p)
  let odd = true
  while (sees(p, sign.text) && !(sign.text === '-' && odd && negativeNumber(p) && !sees(p, '-'))) {
    p.next++
    odd = !odd
  }
  const operand = member(p)
  if (!operand || !odd) return operand
  return p.make({ kind: 'call', at: sign.at, fn: sign.text === '!' ? '!_' : '-_', args: [operand] })
}

function negativeNumber(p: Parser): boolean {
  const after = p.tokens[p.next + 1]?.kind
  return sees(p, '-') && (after === 'NUM_INT' || after === 'NUM_FLOAT')
}

function member(p: Parser): Expr | undefined {
  const before = p.depth
  let expr = primary(p)
  while (expr && (sees(p, '.') || sees(p, '['))) {
    p.depth++
    expr = deeper(p, () => (sees(p, '.') ? selection(p, expr!) : index(p, expr!)))
  }
  p.depth = before
  return expr
}

function selection(p: Parser, operand: Expr): Expr | undefined {
  const dot = take(p, '.')!
  const optional = take(p, '?') !== undefined
  const name = peek(p)
  if (name.kind !== 'IDENTIFIER') {
    if (name.kind === 'EOF' && !optional)
      p.found.push({ at: dot.at + 1, message: "Syntax error: no viable alternative at input '.'" })
    else stop(p, `no viable alternative at input '.${name.text}'`)
    return undefined
  }
  p.next++
  if (optional) {
    const field = p.make({ kind: 'literal', at: name.at, value: name.text })
    return p.make({ kind: 'call', at: dot.at, fn: '_?._', args: [operand, field] })
  }
  const open = take(p, '(')
  if (!open) return p.make({ kind: 'select', at: dot.at, operand, field: name.text, test: false })
  const args = list(p, ')', conditional)
  return args && called(p, open.at, name.text, args, operand)
}

function index(p: Parser, operand: Expr): Expr | undefined {
  const open = take(p, '[')!
  const fn = take(p, '?') ? '_[?_]' : '_[_]'
  const key = conditional(p)
  if (!key || !expect(p, ']', 'operator')) return undefined
  return p.make({ kind: 'call', at: open.at, fn, args: [operand, key] })
}

function called(p: Parser, at: number, fn: string, args: Expr[], target?: Expr): Expr | undefined {
  const expanded = expandMacro(p.make, at, fn, args, target)
  if (!expanded) return p.make({ kind: 'call', at, fn, args, ...(target && { target }) })
  if ('message' in expanded) {
    p.found.push(expanded)
    return p.make({ kind: 'literal', at, value: null })
  }
  return expanded
}

/** Items up to the closing sign; lists and maps may end in a comma, arguments may not. */
function list<T>(p: Parser, close: string, item: (p: Parser) => T | undefined): T[] | undefined {
  const items: T[] = []
  if (close !== ')' && sees(p, ',')) p.next++
  else
    while (!sees(p, close)) {
      const one = item(p)
      if (one === undefined) return undefined
      items.push(one)
      if (!take(p, ',')) break
      if (close === ')' && sees(p, close)) {
        stop(p, `mismatched input '${close}' expecting ${OPERAND}`)
        return undefined
      }
    }
  return expect(p, close, 'operator', `{'${close}', ','}`) && items
}

function primary(p: Parser): Expr | undefined {
  const token = peek(p)
  if (token.kind === 'IDENTIFIER') return identifier(p)
  if (token.kind !== 'sign' && token.kind !== 'EOF') return literal(p)
  if (take(p, '(')) {
    const inner = conditional(p)
    return inner && expect(p, ')', 'operator') && inner
  }
  if (take(p, '[')) {
    const elements = list(p, ']', (q) => {
      const optional = take(q, '?') !== undefined
      const value = conditional(q)
      return value && { value, optional }
    })
    return elements && p.make({ kind: 'list', at: token.at, elements })
  }
  if (take(p, '{')) {
    const entries = list(p, '}', entry)
    return entries && p.make({ kind: 'map', at: token.at, entries })
  }
  if (sees(p, '.') && p.tokens[p.next + 1]?.kind === 'IDENTIFIER') {
    p.next++
    return identifier(p)
  }
  if (negativeNumber(p) || /^(true|false|null)$/.test(token.text)) return literal(p)
  stop(p, `mismatched input '${token.text}' expecting ${OPERAND}`)
  return undefined
}

function entry(p: Parser) {
  const optional = take(p, '?') !== undefined
  const key = conditional(p)
  if (!key || !expect(p, ':', 'operand')) return undefined
  const value = conditional(p)
  return value && { key, value, optional }
}

function identifier(p: Parser): Expr | undefined {
  const name = p.tokens[p.next++]!
  if (RESERVED.has(name.text)) {
    p.found.push({ at: name.at, message: `reserved identifier: ${name.text}` })
    return undefined
  }
  const open = take(p, '(')
  if (!open) return p.make({ kind: 'ident', at: name.at, name: name.text })
  const args = list(p, ')', conditional)
  return args && called(p, open.at, name.text, args)
}

function literal(p: Parser): Expr | undefined {
  const sign = take(p, '-')
  const token = p.tokens[p.next++]!
  const at = sign?.at ?? token.at
  const value = tokenValue(token, sign !== undefined)
  if (value !== undefined) return p.make({ kind: 'literal', at, value })
  const kinds = { NUM_INT: 'int', NUM_UINT: 'uint', NUM_FLOAT: 'double' } as Readonly<Record<string, string>>
  const kind = kinds[token.kind]
  p.found.push({
    at,
    message: kind ? `invalid ${kind} literal` : 'unable to unescape string',
  })
  return undefined
}

function tokenValue(token: Token, negative: boolean) {
  if (token.kind === 'STRING') return stringLiteral(token.text)
  if (token.kind === 'BYTES') return bytesLiteral(token.text)
  if (token.kind === 'sign') return token.text === 'null' ? null : token.text === 'true'
  return numberLiteral(token.text, negative)
}
