import type { JsonValue } from '../../object/object.ts'
import { isObject, jsonEqual, member } from '../../object/object.ts'
import { compileSchema } from './compile.ts'
import { checkComplete } from './completeness.ts'
import { forbidden, invalid } from './fielderror.ts'
import type { RawSchema } from './raw.ts'
import { flag, present, sub, subs, text } from './raw.ts'
import { checkStandard } from './standard.ts'
import { checkInvariants } from './structural.ts'
import type { FieldError, Schema } from './types.ts'

/**
 * Everything that is wrong with the schema of a version of a CustomResourceDefinition, in the words and the order of
 * apiextensions-apiserver; CEL rules are not compiled here. `path` is that of `openAPIV3Schema`.
 */
export function checkCrdSchema(
  schema: JsonValue,
  path: string,
  options: { readonly hasStatus: boolean },
): FieldError[] {
  if (!isObject(schema)) return []
  const out = options.hasStatus ? checkRootForStatus(schema, path) : []
  if (flag(schema, 'nullable')) out.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  const structural: FieldError[] = []
  checkInvariants(schema, 'root', path, structural)
  checkComplete(schema, schema, path, path, structural)
  structural.sort(byText)
  const standard: FieldError[] = []
  checkStandard(schema, path, standard)
  // A default is only looked at by a schema that is sound itself.
  const defaults: FieldError[] = []
  if (structural.length === 0 && standard.length === 0) checkDefaults(schema, path, defaults, false, true)
  return [...out, ...structural, ...defaults, ...standard]
}

const byText = (a: FieldError, b: FieldError): number => {
  const [x, y] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`]
  return x < y ? -1 : x > y ? 1 : 0
}

/** Members that may stand at the root of a schema whose status is validated apart, by their Go names. */
const AT_ROOT =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern ' +
  'MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields ' +
  'XValidations'
const GO_NAMES: Readonly<Record<string, string>> = {
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
}
const allowedAtRoot = new Set(AT_ROOT.split(' '))

function checkRootForStatus(s: RawSchema, path: string): FieldError[] {
  const out: FieldError[] = []
  if (present(s, 'type') && text(s, 'type') !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    return [invalid(`${path}.type`, text(s, 'type'), detail)]
  }
  const goName = (k: string): string => GO_NAMES[k] ?? k.charAt(0).toUpperCase() + k.slice(1)
  if (Object.keys(s).some((k) => present(s, k) && !allowedAtRoot.has(goName(k)))) {
    const detail = `only [${AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`
    out.push(invalid(path, s, detail))
  }
  return out
}

/** Defaults are pruned and valid themselves (apiextensions-apiserver `schema/defaulting/validation.go`). */
function checkDefaults(
  s: RawSchema,
  path: string,
  out: FieldError[],
  insideMeta: boolean,
  isRoot: boolean,
): void {
  const value = member(s, 'default')
  if (value !== undefined && value !== null && !insideMeta) checkDefault(s, value, `${path}.default`, out)
  const items = sub(s, 'items')
  if (items) checkDefaults(items, `${path}.items`, out, insideMeta, false)
  const isObjectRoot = isRoot || flag(s, 'x-kubernetes-embedded-resource')
  for (const [name, p] of subs(s, 'properties')) {
    const isMeta = isObjectRoot && ['metadata', 'apiVersion', 'kind'].includes(name)
    checkDefaults(p, `${path}.properties[${name}]`, out, (insideMeta && !isObjectRoot) || isMeta, false)
  }
}

function checkDefault(s: RawSchema, value: JsonValue, path: string, out: FieldError[]): void {
  const embedded = flag(s, 'x-kubernetes-embedded-resource')
  // The value is put below a field, so that pruning treats it as a field and not as an object of its own.
  const below = compileSchema({ type: 'object', properties: { v: s as Schema } })
  const pruned = member(below.prune({ v: value }).value, 'v')
  if (!embedded && !jsonEqual(pruned, value)) out.push(invalid(path, value, 'must not have unknown fields'))
  for (const e of compileSchema(s as Schema).validate(value)) {
    const rest = e.field === '<nil>' ? '' : e.field.startsWith('[') ? e.field : `.${e.field}`
    out.push({ ...e, field: `${path}${rest}` })
  }
}
