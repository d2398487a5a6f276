import { type CelExpr, type Make, numbering } from './celexpr.ts'
import type { FoundAt } from './celproblem.ts'
import { expandMacro } from './expandmacro.ts'
import { bytesLiteral, numberLiteral, stringLiteral } from './stringliteral.ts'
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

export interface ParsedExpression {
  /** Absent where the text is no expression. */
  readonly expr?: CelExpr
  readonly found: readonly FoundAt[]
}

/** State of one parse: the tokens, where it is, how deep, and what it has found wrong. */
interface ExpressionParser {
  readonly tokens: readonly Token[]
  readonly make: Make
  readonly found: FoundAt[]
  next: number
  depth: number
}

/** Parses CEL with Kubernetes' macros expanded. One syntax error ends it; errors of tokens and macros are collected. */
export function parseExpression(text: string): ParsedExpression {
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
  const p: ExpressionParser = { tokens, make: numbering(), found: [...found], next: 0, depth: 0 }
  const expr = conditional(p)
  if (expr && peek(p).kind !== 'EOF') {
    const alone = p.tokens[p.next + 1]?.kind === 'EOF'
    return stop(p, `${alone ? 'extraneous' : 'mismatched'} input '${peek(p).text}' expecting <EOF>`)
  }
  return p.found.length > 0 || !expr ? { found: p.found } : { expr, found: [] }
}

const peek = (p: ExpressionParser): Token => p.tokens[p.next]!
const sees = (p: ExpressionParser, text: string): boolean => peek(p).kind === 'sign' && peek(p).text === text

function take(p: ExpressionParser, text: string): Token | undefined {
  if (!sees(p, text)) return undefined
  return p.tokens[p.next++]
}

/** Reports at the next token; the parse ends there. */
function stop(p: ExpressionParser, message: string): { readonly found: readonly FoundAt[] } {
  p.found.push({ at: peek(p).at, message: `Syntax error: ${message}` })
  return { found: p.found }
}

/** Takes the sign, or says which way it is missing: alone (what follows could come after it), or not at all. */
function expect(
  p: ExpressionParser,
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
function deeper(
  p: ExpressionParser,
  rule: (p: ExpressionParser) => CelExpr | undefined,
): CelExpr | undefined {
  if (p.depth >= DEEPEST) {
    p.found.push({ at: peek(p).at, message: `expression recursion limit exceeded: ${DEEPEST}` })
    return undefined
  }
  p.depth++
  const expr = rule(p)
  p.depth--
  return expr
}

function conditional(p: ExpressionParser): CelExpr | undefined {
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
function logical(
  p: ExpressionParser,
  sign: string,
  fn: string,
  operand: () => CelExpr | undefined,
): CelExpr | undefined {
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

function balanced(
  p: ExpressionParser,
  fn: string,
  terms: CelExpr[],
  places: number[],
  low: number,
  high: number,
): CelExpr {
  const middle = (low + high + 1) >> 1
  const left = middle === low ? terms[middle]! : balanced(p, fn, terms, places, low, middle - 1)
  const right = middle === high ? terms[middle + 1]! : balanced(p, fn, terms, places, middle + 1, high)
  return p.make({ kind: 'call', at: places[middle]!, fn, args: [left, right] })
}

/** Operators of one rank, from the left. */
function chain(
  p: ExpressionParser,
  signs: readonly string[],
  operand: (p: ExpressionParser) => CelExpr | undefined,
): CelExpr | undefined {
  const before = p.depth
  let left = operand(p)
  while (left && peek(p).kind === 'sign' && signs.includes(peek(p).text)) {
    const token = p.tokens[p.next++]!
    p.depth++
    const right: CelExpr | undefined = deeper(p, operand)
    if (!right) return undefined
    const fn = token.text === 'in' ? '@in' : `_${token.text}_`
    left = p.make({ kind: 'call', at: token.at, fn, args: [left, right] })
  }
  p.depth = before
  return left
}

const relation = (p: ExpressionParser): CelExpr | undefined => chain(p, RELATIONS, sum)
const sum = (p: ExpressionParser): CelExpr | undefined => chain(p, ['+', '-'], product)
const product = (p: ExpressionParser): CelExpr | undefined => chain(p, ['*', '/', '%'], unary)

/** `!!x` is x and `--x` is x: an even number of signs vanishes. */
function unary(p: ExpressionParser): CelExpr | undefined {
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

function negativeNumber(p: ExpressionParser): boolean {
  const after = p.tokens[p.next + 1]?.kind
  return sees(p, '-') && (after === 'NUM_INT' || after === 'NUM_FLOAT')
}

function member(p: ExpressionParser): CelExpr | undefined {
  const before = p.depth
  let expr = primary(p)
  while (expr && (sees(p, '.') || sees(p, '['))) {
    p.depth++
    expr = deeper(p, () => (sees(p, '.') ? selection(p, expr!) : index(p, expr!)))
  }
  p.depth = before
  return expr
}

function selection(p: ExpressionParser, operand: CelExpr): CelExpr | undefined {
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

function index(p: ExpressionParser, operand: CelExpr): CelExpr | undefined {
  const open = take(p, '[')!
  const fn = take(p, '?') ? '_[?_]' : '_[_]'
  const key = conditional(p)
  if (!key || !expect(p, ']', 'operator')) return undefined
  return p.make({ kind: 'call', at: open.at, fn, args: [operand, key] })
}

function called(
  p: ExpressionParser,
  at: number,
  fn: string,
  args: CelExpr[],
  target?: CelExpr,
): CelExpr | undefined {
  const expanded = expandMacro(p.make, at, fn, args, target)
  if (!expanded) return p.make({ kind: 'call', at, fn, args, ...(target && { target }) })
  if ('message' in expanded) {
    p.found.push(expanded)
    return p.make({ kind: 'literal', at, value: null })
  }
  return expanded
}

/** Items up to the closing sign; lists and maps may end in a comma, arguments may not. */
function list<T>(
  p: ExpressionParser,
  close: string,
  item: (p: ExpressionParser) => T | undefined,
): T[] | undefined {
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

function primary(p: ExpressionParser): CelExpr | undefined {
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

function entry(p: ExpressionParser) {
  const optional = take(p, '?') !== undefined
  const key = conditional(p)
  if (!key || !expect(p, ':', 'operand')) return undefined
  const value = conditional(p)
  return value && { key, value, optional }
}

function identifier(p: ExpressionParser): CelExpr | undefined {
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

function literal(p: ExpressionParser): CelExpr | undefined {
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
