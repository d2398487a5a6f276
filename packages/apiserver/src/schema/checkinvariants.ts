import { compiledPattern } from '@lockstep/cel/library'
import { canonicalJson, isObject, member } from '@lockstep/kube/object'
import { forbidden, invalid, required } from './invalidfield.ts'
import type { RawSchema } from './rawschema.ts'
import { flag, present, sub, subList, subs, text } from './rawschema.ts'
import type { FieldError } from './schematypes.ts'

type InvariantLevel = 'root' | 'item' | 'field'

const NO_TYPE: Readonly<Record<InvariantLevel, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'

/**
 * Whether a schema is structural: outside of `allOf`, `anyOf`, `oneOf` and `not` it says the type of every field, inside
 * it only says what values may be (apiextensions-apiserver `schema/validation.go`).
 */
export function checkInvariants(s: RawSchema, level: InvariantLevel, path: string, out: FieldError[]): void {
  const items = sub(s, 'items')
  if (text(s, 'type') === 'array' && !items) out.push(required(`${path}.items`, 'must be specified'))
  if (items) checkInvariants(items, 'item', `${path}.items`, out)
  for (const [name, p] of subs(s, 'properties'))
    checkInvariants(p, 'field', `${path}.properties[${name}]`, out)
  if (member(s, 'additionalProperties') !== undefined) {
    const where = `${path}.additionalProperties`
    if (level === 'root') out.push(forbidden(where, 'must not be used at the root'))
    const others = sub(s, 'additionalProperties')
    if (others) checkInvariants(others, 'field', where, out)
    if (flag(s, EMBEDDED)) out.push(forbidden(where, `must not be used if ${EMBEDDED} is set`))
  }
  checkExtensions(s, path, out)
  checkValueRules(
    s,
    path,
    out,
    isIntOrString(subList(s, 'anyOf')),
    isIntOrString(subList(subList(s, 'allOf')[0] ?? {}, 'anyOf')),
  )
  checkTypes(s, level, path, out)
  checkMetadata(s, level, path, out)
}

function checkExtensions(s: RawSchema, path: string, out: FieldError[]): void {
  const text = `must be false if ${INT_OR_STRING} is true`
  if (!flag(s, INT_OR_STRING)) return
  if (flag(s, PRESERVE)) out.push(invalid(`${path}.${PRESERVE}`, true, text))
  if (flag(s, EMBEDDED)) out.push(invalid(`${path}.${EMBEDDED}`, true, text))
}

function checkTypes(s: RawSchema, level: InvariantLevel, path: string, out: FieldError[]): void {
  const type = text(s, 'type')
  const where = `${path}.type`
  if (flag(s, EMBEDDED) && type !== 'object') {
    const detail = `must be object if ${EMBEDDED} is true`
    out.push(type === '' ? required(where, detail) : invalid(where, type, detail))
  } else if (type === '' && !flag(s, INT_OR_STRING) && !flag(s, PRESERVE))
    out.push(required(where, NO_TYPE[level]))
  if (level === 'root' && type !== '' && type !== 'object')
    out.push(invalid(where, type, 'must be object at the root'))
  if (flag(s, EMBEDDED) && !flag(s, PRESERVE) && !present(s, 'properties')) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`
    out.push(required(`${path}.properties`, detail))
  }
}

/** Of metadata only name and generateName may be restricted, and of those at the root only. */
function checkMetadata(s: RawSchema, level: InvariantLevel, path: string, out: FieldError[]): void {
  const isObjectRoot = level === 'root' || flag(s, EMBEDDED)
  const properties = sub(s, 'properties') ?? {}
  for (const name of ['kind', 'apiVersion']) {
    const p = sub(properties, name)
    if (p && isObjectRoot && text(p, 'type') !== 'string')
      out.push(invalid(`${path}.properties[${name}].type`, text(p, 'type'), 'must be string'))
  }
  const metadata = sub(properties, 'metadata')
  if (!metadata) return
  const where = `${path}.properties[metadata]`
  if (isObjectRoot && text(metadata, 'type') !== 'object')
    out.push(invalid(`${where}.type`, text(metadata, 'type'), 'must be object'))
  if (level !== 'root') return
  const names = subs(metadata, 'properties').map(([n]) => n)
  const isRestricted = names.some((n) => n !== 'name' && n !== 'generateName')
  const rest = Object.keys(metadata).filter(
    (k) => !['type', 'properties', 'default'].includes(k) && present(metadata, k),
  )
  if (isRestricted || rest.length > 0)
    out.push(
      forbidden(
        where,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    )
}

const INT_OR_STRING_PATTERN = canonicalJson([{ type: 'integer' }, { type: 'string' }])
const isIntOrString = (anyOf: readonly RawSchema[]): boolean => canonicalJson(anyOf) === INT_OR_STRING_PATTERN

function checkValueRules(
  s: RawSchema,
  path: string,
  out: FieldError[],
  skipAnyOf = false,
  skipFirstAllOf = false,
): void {
  if (!skipAnyOf)
    for (const [i, v] of subList(s, 'anyOf').entries()) checkNested(v, `${path}.anyOf[${i}]`, out)
  for (const [i, v] of subList(s, 'allOf').entries())
    checkNested(v, `${path}.allOf[${i}]`, out, skipFirstAllOf && i === 0)
  for (const [i, v] of subList(s, 'oneOf').entries()) checkNested(v, `${path}.oneOf[${i}]`, out)
  const not = sub(s, 'not')
  if (not) checkNested(not, `${path}.not`, out)
  const pattern = text(s, 'pattern')
  const broken = pattern === '' ? undefined : compiledPattern(pattern)
  if (typeof broken === 'string')
    out.push(invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${broken}`))
}

/** What may not be said below `allOf`, `anyOf`, `oneOf`, `not`, and how the refusal reads. */
const NOT_NESTED: readonly [string, string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [PRESERVE, 'must be false to be structural'],
  [EMBEDDED, 'must be false to be structural'],
  [INT_OR_STRING, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

function checkNested(s: RawSchema, path: string, out: FieldError[], skipAnyOf = false): void {
  checkValueRules(s, path, out, skipAnyOf)
  const items = sub(s, 'items')
  if (items) checkNested(items, `${path}.items`, out)
  for (const [name, p] of subs(s, 'properties')) checkNested(p, `${path}.properties[${name}]`, out)
  for (const [name, detail] of NOT_NESTED) {
    const isThere =
      name === 'default' || (name === 'additionalProperties' && isObject(member(s, name)))
        ? member(s, name) !== undefined && member(s, name) !== null
        : present(s, name)
    if (isThere) out.push(forbidden(`${path}.${name}`, detail))
  }
  if (sub(sub(s, 'properties') ?? {}, 'metadata'))
    out.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
}
