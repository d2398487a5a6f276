import { additional, ownProperty } from '../ownproperty.ts'
import type { Schema } from '../schematypes.ts'

const TOKEN = /'[\s\S]*?(?<!\\)'|[.[\]]|[^.[\]]+/g
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\u000b',
  "'": "'",
  '\\': '\\',
}

/**
 * The field that the `fieldPath` of a rule names, as messages write it: `.a['b.c']` is `a.b.c`, a key of a map is in
 * brackets. Undefined if there is no such field in the schema (apiextensions-apiserver `schema/cel`, ValidFieldPath).
 */
export function namedField(path: string, schema: Schema): string | undefined {
  const tokens = path.match(TOKEN) ?? []
  let here: Schema | undefined = schema
  let out = ''
  for (let i = 0; i < tokens.length; ) {
    const step = stepAt(tokens, i)
    if (!step || !here) return undefined
    const isField: boolean = Object.keys(here.properties ?? {}).length > 0
    out += isField ? `${out === '' ? '' : '.'}${step.name}` : `[${step.name}]`
    here = isField ? ownProperty(here, step.name) : additional(here)
    if (!here) return undefined
    i = step.next
  }
  return out
}

/** `.name` or `['name']`. */
function stepAt(tokens: readonly string[], i: number): { name: string; next: number } | undefined {
  const [sign, name] = [tokens[i], tokens[i + 1]]
  if (name === undefined) return undefined
  if (sign === '.') return { name, next: i + 2 }
  if (sign !== '[' || tokens[i + 2] !== ']' || !isQuoted(name)) return undefined
  const plain = unescaped(name.slice(1, -1))
  return plain === undefined ? undefined : { name: plain, next: i + 3 }
}

const isQuoted = (s: string): boolean => s.length > 1 && s.startsWith("'") && s.endsWith("'")

function unescaped(text: string): string | undefined {
  let isValid = true
  const plain = text.replace(/\\./g, (pair) => {
    const sign = ESCAPES[pair.charAt(1)]
    isValid &&= sign !== undefined
    return sign ?? ''
  })
  return isValid ? plain : undefined
}
