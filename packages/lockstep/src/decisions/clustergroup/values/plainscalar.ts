/**
 * Texts that a template writes without quotes, and YAML then reads once more: `5.10` becomes a number, `yes` a boolean. Which
 * texts are one plain scalar behind `key: ` is libyaml's rule (`yaml_parser_fetch_next_token`).
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import { type JsonValue, plainScalar } from '@lockstep/kube/object'

/** Characters with which no plain scalar begins; three more only before a blank. */
const NO_START = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?:[ \t]|$))/
/** The end of a key, or a comment. */
const SYNTAX = /:(?:[ \t]|$)|[ \t]#/
/** It would go on in the next line, or is not a text of YAML at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
const UNPRINTABLE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff]/

/** The value, or an error: it is not one plain scalar. */
export function readPlainScalar(text: string): Result<JsonValue, undefined> {
  const bare = withoutBlanks(text)
  if (NO_START.test(bare) || SYNTAX.test(bare) || UNPRINTABLE.test(bare)) return err(undefined)
  const value = plainScalar(bare)
  if (typeof value === 'number' && !Number.isFinite(value)) return err(undefined)
  return ok(typeof value === 'bigint' ? Number(value) : value)
}

/** Without those before it, and those and the line breaks behind it. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && ' \t'.includes(text[start]!)) start++
  while (end > start && ' \t\r\n'.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}
