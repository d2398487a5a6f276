import { compiledPattern } from '@lockstep/cel/library'

/** Whether the pattern occurs anywhere in the text. A broken pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const re = compiledPattern(pattern)
  return typeof re !== 'string' && re.matcher(text).find()
}
