import { CLAUSES, formatParts, misfit } from '../library/formatclause.ts'
import { compiledPattern } from '../library/regexfunctions.ts'
import type { CallExpr, CelExpr } from '../syntax/celexpr.ts'
import type { FoundAt } from '../syntax/celproblem.ts'
import { type CelType, sameType, typeText, unwrapped } from '../type/celtype.ts'
import { parseDuration } from '../value/parseduration.ts'
import { parseTimestamp } from '../value/parsetimestamp.ts'
import type { CheckedExpression } from './typechecker.ts'

/** What is written down and can be seen to be wrong: durations, timestamps, patterns, formats, mixed lists and maps. */
export function literalProblems(expr: CelExpr, checked: CheckedExpression): readonly FoundAt[] {
  const found: FoundAt[] = []
  walk(expr, false, (e, inFormat) => {
    if (e.kind === 'call') found.push(...callProblems(e, checked))
    else if (!inFormat) found.push(...mixed(e, checked))
  })
  return found
}

/** Arguments of `format` may be of different types. */
function walk(e: CelExpr, inFormat: boolean, look: (e: CelExpr, inFormat: boolean) => void): void {
  look(e, inFormat)
  const inside = inFormat || (e.kind === 'call' && e.fn === 'format')
  for (const child of childrenOf(e)) walk(child, inside, look)
}

export function childrenOf(e: CelExpr): readonly CelExpr[] {
  if (e.kind === 'select') return [e.operand]
  if (e.kind === 'call') return e.target ? [e.target, ...e.args] : e.args
  if (e.kind === 'list') return e.elements.map((x) => x.value)
  if (e.kind === 'map') return e.entries.flatMap((x) => [x.key, x.value])
  return e.kind === 'fold' ? [e.range, e.init, e.condition, e.step, e.result] : []
}

function mixed(e: CelExpr, checked: CheckedExpression): readonly FoundAt[] {
  const typed = (x: CelExpr, optional: boolean) => {
    const type = checked.types.get(x.id)!
    return { at: x.at, type: optional ? unwrapped(type).type : type }
  }
  if (e.kind === 'list') return firstMismatch(e.elements.map((x) => typed(x.value, x.optional)))
  if (e.kind !== 'map') return []
  const keys = firstMismatch(e.entries.map((x) => typed(x.key, false)))
  return keys.length > 0 ? keys : firstMismatch(e.entries.map((x) => typed(x.value, x.optional)))
}

function firstMismatch(all: readonly { readonly at: number; readonly type: CelType }[]): readonly FoundAt[] {
  const [first, ...others] = all
  const other = first && others.find((x) => !sameType(x.type, first.type))
  if (!other) return []
  return [
    { at: other.at, message: `expected type '${typeText(first.type)}' but found '${typeText(other.type)}'` },
  ]
}

const CHECKED: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: (text) => typeof compiledPattern(text) !== 'string',
}

function callProblems(e: CallExpr, checked: CheckedExpression): readonly FoundAt[] {
  if (e.fn === 'format' && e.target) return formatProblems(e, checked)
  const valid = Object.hasOwn(CHECKED, e.fn) ? CHECKED[e.fn] : undefined
  const arg = e.args.at(-1)
  if (!valid || arg?.kind !== 'literal' || typeof arg.value !== 'string' || valid(arg.value)) return []
  return [{ at: arg.at, message: `invalid ${e.fn} argument` }]
}

/** A format that is written down is held against the arguments that are. */
function formatProblems(e: CallExpr, checked: CheckedExpression): readonly FoundAt[] {
  const args = e.args[0]
  if (e.target!.kind !== 'literal' || typeof e.target!.value !== 'string' || args?.kind !== 'list') return []
  const parts = formatParts(e.target!.value)
  if ('complaint' in parts) return [{ at: e.at, message: parts.complaint }]
  const clauses = parts.filter((p) => typeof p !== 'string')
  for (const [i, clause] of clauses.entries()) {
    const arg = args.elements[i]?.value
    if (!arg) return [{ at: e.at, message: `index ${i} out of range` }]
    const type = checked.types.get(arg.id)!
    const types = CLAUSES[clause.verb]!.types
    if (type.kind !== 'dyn' && !types.includes(type.kind))
      return [{ at: arg.at, message: misfit(clause.verb, type.name) }]
  }
  if (args.elements.length <= clauses.length) return []
  const message = `too many arguments supplied to string.format (expected ${clauses.length}, got ${args.elements.length})`
  return [{ at: e.at, message }]
}
