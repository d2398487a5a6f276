import { isArray, isObject, type JsonValue, member } from '@lockstep/kube/object'
import { checkRuleTexts } from './checkruletexts.ts'
import { checkListAndMapTypes } from './definition/checklistandmaptypes.ts'
import { forbidden, invalid, notSupported } from './invalidfield.ts'
import type { RawSchema } from './rawschema.ts'
import { flag, present, sub, subList, subs, text } from './rawschema.ts'
import type { FieldError } from './schematypes.ts'

/** What the place of a schema forbids in it. */
interface KeywordPlace {
  readonly isRoot: boolean
  readonly insideMeta: boolean
  /** Why there may be no default here: the end of the sentence. */
  readonly noDefault?: string
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const META: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])
const EMBEDDED = 'x-kubernetes-embedded-resource'

/**
 * What a CustomResourceDefinition may not have in its schema, at any depth (apiextensions-apiserver
 * `apiextensions/validation`, ValidateCustomResourceDefinitionOpenAPISchema). CEL rules are only read as texts here.
 */
export function checkStandard(
  s: RawSchema,
  path: string,
  out: FieldError[],
  place: KeywordPlace = ROOT,
): void {
  checkMembers(s, path, place, out)
  checkAdditional(s, path, place, out)
  const inside: KeywordPlace = { ...place, isRoot: false }
  for (const [name, p] of subs(s, 'properties')) {
    const isMeta = (place.isRoot || flag(s, EMBEDDED)) && META.has(name)
    const below: KeywordPlace = isMeta
      ? {
          isRoot: false,
          insideMeta: true,
          noDefault: place.isRoot ? `in top-level ${name}` : place.noDefault,
        }
      : inside
    checkStandard(p, `${path}.properties[${name}]`, out, below)
  }
  const not = sub(s, 'not')
  if (not) checkStandard(not, `${path}.not`, out, inside)
  for (const junctor of ['allOf', 'oneOf', 'anyOf'])
    for (const [i, v] of subList(s, junctor).entries())
      checkStandard(v, `${path}.${junctor}[${i}]`, out, inside)
  for (const [name, v] of subs(s, 'definitions'))
    checkStandard(v, `${path}.definitions[${name}]`, out, inside)
  const items = sub(s, 'items')
  if (items) checkStandard(items, `${path}.items`, out, inside)
  for (const [i, v] of subList(s, 'items').entries()) checkStandard(v, `${path}.items[${i}]`, out, inside)
  const preserve = 'x-kubernetes-preserve-unknown-fields'
  if (member(s, preserve) === false)
    out.push(invalid(`${path}.${preserve}`, false, 'must be true or undefined'))
  checkListAndMapTypes(s, path, out)
  checkRuleTexts(s, path, out)
}

const ROOT: KeywordPlace = { isRoot: true, insideMeta: false }

/** Members that are refused wherever they are, and how the refusal reads. */
const REFUSED: readonly [string, (v: JsonValue) => boolean, string][] = [
  ['id', (v) => v !== '', 'id is not supported'],
  ['additionalItems', () => true, 'additionalItems is not supported'],
  [
    'patternProperties',
    (v) => isObject(v) && Object.keys(v).length > 0,
    'patternProperties is not supported',
  ],
  ['definitions', (v) => isObject(v) && Object.keys(v).length > 0, 'definitions is not supported'],
  ['dependencies', () => true, 'dependencies is not supported'],
  ['$ref', () => true, '$ref is not supported'],
  ['type', (v) => v === 'null', 'type cannot be set to null, use nullable as an alternative'],
  ['items', (v) => isArray(v) && v.length > 0, 'items must be a schema object and not an array'],
]

function checkMembers(s: RawSchema, path: string, place: KeywordPlace, out: FieldError[]): void {
  const type = text(s, 'type')
  if (type !== '' && !TYPES.includes(type)) out.push(notSupported(`${path}.type`, type, TYPES))
  const hasDefault = member(s, 'default') !== undefined && member(s, 'default') !== null
  if (hasDefault && place.noDefault !== undefined)
    out.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`.trim()))
  for (const [name, isRefused, detail] of REFUSED) {
    const v = member(s, name)
    if (v !== undefined && v !== null && isRefused(v)) out.push(forbidden(`${path}.${name}`, detail))
  }
  if (place.insideMeta && flag(s, EMBEDDED))
    out.push(forbidden(`${path}.${EMBEDDED}`, 'must not be used inside of resource meta'))
  if (flag(s, 'uniqueItems')) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    out.push(forbidden(`${path}.uniqueItems`, detail))
  }
}

function checkAdditional(s: RawSchema, path: string, place: KeywordPlace, out: FieldError[]): void {
  const v = member(s, 'additionalProperties')
  if (v === undefined || v === null) return
  const where = `${path}.additionalProperties`
  if (present(s, 'properties') && v !== true)
    out.push(forbidden(where, 'additionalProperties and properties are mutual exclusive'))
  if (!isObject(v)) return
  const noDefault = place.insideMeta
    ? 'inside additionalProperties applying to object metadata'
    : place.noDefault
  checkStandard(v, where, out, { isRoot: false, insideMeta: place.insideMeta, noDefault })
}
