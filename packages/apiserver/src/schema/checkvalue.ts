import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '@lockstep/kube/object'
import { checkCombinators } from './checks/checkcombinators.ts'
import { checkNumber } from './checks/checknumber.ts'
import { checkEnum, checkFormat, checkString, checkType } from './checktype.ts'
import type { Correlated } from './correlate.ts'
import { invalid, required, tooMany } from './invalidfield.ts'
import { additional, ownProperty } from './ownproperty.ts'
import type { FieldError, Resolve, Schema } from './schematypes.ts'
import { ValidationOutcome } from './validationoutcome.ts'

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind'])

/**
 * Checks a value against an OpenAPI schema in the words of apiextensions-apiserver (`pkg/apiserver/validation`). With
 * `old`, findings of parts that did not change are left out: CRD validation ratcheting.
 */
export function checkValue(
  schema: Schema,
  value: JsonValue,
  resolve: Resolve,
  old: Correlated | undefined,
): FieldError[] {
  const run = new ValueValidation(resolve)
  const found = run.check(schema, '', value, old).errors
  return found.map((e) => (e.field === '' ? { ...e, field: '<nil>' } : e)).sort((a, b) => rank(a) - rank(b))
}

/**
 * kube-apiserver lists findings in the order in which Go walks a map, which is any. Ours are stable: what a value must
 * be comes before how big it may be, what is missing comes last; within a group the order is that of the document.
 */
const ORDER: readonly FieldError['type'][] = ['TypeInvalid', 'Unsupported', 'Invalid', 'TooLong', 'TooMany']
function rank(e: FieldError): number {
  const at = ORDER.indexOf(e.type)
  return at < 0 ? ORDER.length : at
}

class ValueValidation {
  private readonly resolve: Resolve
  constructor(resolve: Resolve) {
    this.resolve = resolve
  }

  /** A part that is as it was stays accepted, whatever the schema says by now (`validation/ratcheting.go`). */
  check(reference: Schema, path: string, value: JsonValue, old: Correlated | undefined): ValidationOutcome {
    const out = this.fresh(reference, path, value, old)
    return out.isValid || !old?.isSame ? out : new ValidationOutcome()
  }

  private fresh(
    reference: Schema,
    path: string,
    value: JsonValue,
    old: Correlated | undefined,
  ): ValidationOutcome {
    const out = new ValidationOutcome()
    const s = reference.$ref === undefined ? reference : this.resolve(reference)
    checkType(reference.nullable && !s.nullable ? { ...s, nullable: true } : s, path, value, out)
    if (value === null) {
      checkEnum(s, path, value, out)
      return out
    }
    checkCombinators(s, path, value, (sub, at, v) => this.check(sub, at, v, old), out)
    if (typeof value === 'string') {
      checkString(s, path, value, out)
      checkFormat(s, path, value, out)
    } else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(s, path, value, out)
    else if (isArray(value)) this.items(s, path, value, old, out)
    checkEnum(s, path, value, out)
    if (isObject(value)) this.members(s, path, value, old, out)
    out.matches++
    return out
  }

  private items(
    s: Schema,
    path: string,
    value: JsonArray,
    old: Correlated | undefined,
    out: ValidationOutcome,
  ): void {
    if (s.items) {
      for (let i = 0; i < value.length; i++)
        out.merge(this.check(s.items, `${path}[${i}]`, value[i] as JsonValue, old?.index(i)))
    }
    if (s.minItems !== undefined && value.length < s.minItems)
      out.add(invalid(path, value.length, `${path} in body should have at least ${s.minItems} items`))
    if (s.maxItems !== undefined && value.length > s.maxItems)
      out.add(tooMany(path, value.length, s.maxItems))
    if (s.uniqueItems && hasDuplicates(value))
      out.add(invalid(path, '', `${path} in body shouldn't contain duplicates`))
    out.matches++
  }

  private members(
    s: Schema,
    path: string,
    value: JsonObject,
    old: Correlated | undefined,
    out: ValidationOutcome,
  ): void {
    const keys = Object.keys(value).filter((k) => value[k] !== undefined)
    if (s.minProperties !== undefined && keys.length < s.minProperties)
      out.add(
        invalid(path, keys.length, `${path} in body should have at least ${s.minProperties} properties`),
      )
    if (s.maxProperties !== undefined && keys.length > s.maxProperties)
      out.add(tooMany(path, keys.length, s.maxProperties))
    const others = additional(s)
    for (const key of keys) {
      const own = ownProperty(s, key)
      const sub = own ?? others
      if (sub === undefined) {
        if (s.additionalProperties === false)
          out.add(invalid(path, key, `${path}.${key} in body is a forbidden property`))
        continue
      }
      const where = path === '' && own !== undefined ? key : `${path}.${key}`
      const before = path === '' && META.has(key) ? undefined : old?.key(key)
      out.merge(this.check(sub, where, value[key] as JsonValue, before))
    }
    for (const name of s.required ?? [])
      if (!Object.hasOwn(value, name) || value[name] === undefined)
        out.add(required(path === '' ? name : `${path}.${name}`))
  }
}

function hasDuplicates(list: JsonArray): boolean {
  return list.some((v, i) => list.findIndex((u) => jsonEqual(u, v)) < i)
}
