import { goQuote } from '@lockstep/kube/fields'
import { isArray, isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { invalid, required } from '../invalidfield.ts'
import { additional, ownProperty } from '../ownproperty.ts'
import type { FieldError, Resolve, Schema } from '../schematypes.ts'

/**
 * Objects inside of objects (`x-kubernetes-embedded-resource`) say what they are (apiextensions-apiserver
 * `schema/objectmeta`). The root is not looked at: the server checks its metadata itself.
 */
export function checkEmbeddedObject(schema: Schema, value: JsonValue, resolve: Resolve): FieldError[] {
  const out: FieldError[] = []
  walk(schema, value, '', resolve, out)
  return out
}

function walk(reference: Schema, value: JsonValue, path: string, resolve: Resolve, out: FieldError[]): void {
  if (value === null || typeof value !== 'object') return
  const s = resolve(reference)
  if (isArray(value)) {
    if (s.items)
      for (let i = 0; i < value.length; i++)
        walk(s.items, value[i] as JsonValue, `${path}[${i}]`, resolve, out)
    return
  }
  if (!isObject(value)) return
  if (s['x-kubernetes-embedded-resource']) embedded(value, path, out)
  const others = additional(s)
  for (const key of Object.keys(value)) {
    const sub = value[key]
    if (sub === undefined) continue
    const own = ownProperty(s, key)
    if (own) walk(own, sub, path === '' ? key : `${path}.${key}`, resolve, out)
    else if (others) walk(others, sub, `${path}[${key}]`, resolve, out)
  }
}

function embedded(value: JsonObject, path: string, out: FieldError[]): void {
  for (const name of ['apiVersion', 'kind'])
    if (value[name] === undefined) out.push(required(`${path}.${name}`))
  for (const name of ['apiVersion', 'kind']) {
    const v = value[name]
    if (v === undefined) continue
    const where = `${path}.${name}`
    if (typeof v !== 'string') out.push(invalid(where, v, 'must be a string'))
    else if (v === '') out.push(invalid(where, v, 'must not be empty'))
    else if (name === 'kind' && !isLabel(v.toLowerCase())) out.push(invalid(where, v, KIND_TEXT))
    else if (name === 'apiVersion' && v.split('/').length > 2)
      out.push(invalid(where, v, `unexpected GroupVersion string: ${v}`))
  }
  const meta = value.metadata
  if (meta !== undefined && meta !== null && !isObject(meta))
    out.push(
      invalid(`${path}.metadata`, meta, `json: cannot unmarshal into ObjectMeta: ${goQuote(typeof meta)}`),
    )
}

const isLabel = (s: string): boolean => s.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(s)

const KIND_TEXT =
  'may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric ' +
  "characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  " +
  "or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
