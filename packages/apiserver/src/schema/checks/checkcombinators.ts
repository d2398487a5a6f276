import { goQuote } from '@lockstep/kube/fields'
import type { JsonValue } from '@lockstep/kube/object'
import { invalid } from '../invalidfield.ts'
import type { Schema } from '../schematypes.ts'
import type { ValidationOutcome } from '../validationoutcome.ts'

type CombinatorCheck = (schema: Schema, path: string, value: JsonValue) => ValidationOutcome

/**
 * `anyOf`, `oneOf`, `allOf` and `not` (kube-openapi `validate/schema_props.go`). Their own findings have no path, only
 * the quoted one in the text.
 */
export function checkCombinators(
  s: Schema,
  path: string,
  value: JsonValue,
  check: CombinatorCheck,
  out: ValidationOutcome,
): void {
  out.matches++
  const say = (text: string): void => out.add(invalid('<nil>', '', `${goQuote(path)} ${text}`))
  if (s.anyOf?.length) anyOf(s.anyOf, path, value, check, out, say)
  if (s.oneOf?.length) oneOf(s.oneOf, path, value, check, out, say)
  if (s.allOf?.length) allOf(s.allOf, path, value, check, out, say)
  if (s.not && check(s.not, path, value).isValid) say('must not validate the schema (not)')
}

type CombinatorMessage = (text: string) => void

function anyOf(
  schemas: readonly Schema[],
  path: string,
  value: JsonValue,
  check: CombinatorCheck,
  out: ValidationOutcome,
  say: CombinatorMessage,
): void {
  let best: ValidationOutcome | undefined
  for (const s of schemas) {
    const result = check(s, path, value)
    if (result.isValid) {
      out.merge(result)
      return
    }
    if (best === undefined || result.matches > best.matches) best = result
  }
  say('must validate at least one schema (anyOf)')
  if (best) out.merge(best)
}

function oneOf(
  schemas: readonly Schema[],
  path: string,
  value: JsonValue,
  check: CombinatorCheck,
  out: ValidationOutcome,
  say: CombinatorMessage,
): void {
  let best: ValidationOutcome | undefined
  let first: ValidationOutcome | undefined
  let valid = 0
  for (const s of schemas) {
    const result = check(s, path, value)
    if (result.isValid) {
      valid++
      best = undefined
      first ??= result
    } else if (valid === 0 && (best === undefined || result.matches > best.matches)) best = result
  }
  if (valid === 1 && first) {
    out.merge(first)
    return
  }
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
  say(`must validate one and only one schema (oneOf). ${found}`)
  if (best) out.merge(best)
}

function allOf(
  schemas: readonly Schema[],
  path: string,
  value: JsonValue,
  check: CombinatorCheck,
  out: ValidationOutcome,
  say: CombinatorMessage,
): void {
  let valid = 0
  for (const s of schemas) {
    const result = check(s, path, value)
    if (result.isValid) valid++
    out.merge(result)
  }
  if (valid !== schemas.length)
    say(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
}
