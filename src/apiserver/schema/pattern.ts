import { RE2JS } from 're2js'

/**
 * Patterns of schemas come from whoever may create a CustomResourceDefinition, so they run on an engine whose time is
 * linear in the text (the syntax is Go's, as the API says). Compiled once a process: schemas are shared by clusters.
 */
const compiled = new Map<string, RE2JS | string>()
const MAX_KEPT = 10_000

export function compilePattern(pattern: string): RE2JS | string {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= MAX_KEPT) compiled.clear()
  const made = tryCompile(pattern)
  compiled.set(pattern, made)
  return made
}

/** The engine, or what is wrong with the pattern, as Go words it. */
function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (e) {
    const text = (e as Error).message
    return text.startsWith('error parsing regexp') ? text : `error parsing regexp: ${text}`
  }
}

/** Whether the pattern occurs anywhere in the text. A broken pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const re = compilePattern(pattern)
  return typeof re !== 'string' && re.matcher(text).find()
}
