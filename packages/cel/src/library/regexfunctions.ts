import { RE2JS } from 're2js'
import { type CelValue, failure, list } from '../value/celvalue.ts'
import { type Overload, overload } from './overload.ts'

const MOST_KEPT = 10_000
const compiled = new Map<string, RE2JS | string>()

/**
 * The pattern compiled, or what is wrong with it as Go says it. Patterns come from people whom we need not trust, so
 * they run on an engine whose time is linear in the text. Compiled once: schemas and rules are shared by clusters.
 */
export function compiledPattern(pattern: string): RE2JS | string {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= MOST_KEPT) compiled.clear()
  const made = tryCompile(pattern)
  compiled.set(pattern, made)
  return made
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (e) {
    const text = (e as Error).message
    return text.startsWith('error parsing regexp') ? text : `error parsing regexp: ${text}`
  }
}

function matches(text: string, pattern: string): CelValue {
  const re = compiledPattern(pattern)
  return typeof re === 'string' ? failure(re) : re.matcher(text).find()
}

function find(text: string, pattern: string): CelValue {
  const re = compiledPattern(pattern)
  if (typeof re === 'string') return failure(`Illegal regex: ${re}`)
  const m = re.matcher(text)
  return m.find() ? (m.group() ?? '') : ''
}

function findAll(text: string, pattern: string, most = -1n): CelValue {
  const re = compiledPattern(pattern)
  if (typeof re === 'string') return failure(`Illegal regex: ${re}`)
  const found: string[] = []
  const m = re.matcher(text)
  while ((most < 0n || BigInt(found.length) < most) && m.find()) found.push(m.group() ?? '')
  return list(found)
}

export const regexFunctions: readonly Overload[] = [
  overload('matches', 'matches(string, string): bool', matches),
  overload('matches_string', 'string.matches(string): bool', matches),
  overload('string_find_string', 'string.find(string): string', find),
  overload('string_find_all_string', 'string.findAll(string): list<string>', findAll),
  overload('string_find_all_string_int', 'string.findAll(string, int): list<string>', findAll),
]
