import { required } from '../invalidfield.ts'
import type { RawSchema } from '../rawschema.ts'
import { sub, subList, subs } from '../rawschema.ts'
import type { FieldError } from '../schematypes.ts'

/**
 * Every field that `allOf`, `anyOf`, `oneOf` or `not` speaks of is specified outside of them too
 * (apiextensions-apiserver `schema/complete.go`). `s` is the structural side, `v` what speaks about it.
 */
export function checkComplete(v: RawSchema, s: RawSchema, at: string, from: string, out: FieldError[]): void {
  const not = sub(v, 'not')
  if (not) nested(not, s, at, `${from}.not`, out)
  for (const junctor of ['allOf', 'anyOf', 'oneOf'])
    for (const [i, n] of subList(v, junctor).entries()) nested(n, s, at, `${from}.${junctor}[${i}]`, out)
}

function nested(v: RawSchema, s: RawSchema | undefined, at: string, from: string, out: FieldError[]): void {
  if (s === undefined) {
    out.push(required(at, `because it is defined in ${from}`))
    return
  }
  checkComplete(v, s, at, from, out)
  const items = sub(v, 'items')
  if (items) nested(items, sub(s, 'items'), `${at}.items`, `${from}.items`, out)
  for (const [name, p] of subs(v, 'properties')) {
    const own = sub(sub(s, 'properties') ?? {}, name)
    nested(p, own, `${at}.properties[${name}]`, `${from}.properties[${name}]`, out)
  }
}
