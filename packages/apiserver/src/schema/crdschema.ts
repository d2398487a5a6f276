import type { CelSchema } from '@lockstep/cel/program'
import { checkRules, pathText, type RuleProblem } from '@lockstep/cel/rules'
import { goJson } from '@lockstep/kube/fields'
import { at, isObject, type JsonObject, type JsonValue, jsonEqual, member } from '@lockstep/kube/object'
import { checkInvariants } from './checkinvariants.ts'
import { checkComplete } from './checks/checkcomplete.ts'
import { checkStandard } from './checkstandard.ts'
import { compileSchema } from './compileschema.ts'
import { forbidden, internalError, invalid } from './invalidfield.ts'
import type { RawSchema } from './rawschema.ts'
import { flag, present, sub, subs, text } from './rawschema.ts'
import { evaluateRules } from './rules/evaluaterules.ts'
import { rulesOfPart } from './rules/rulenode.ts'
import type { FieldError, Schema } from './schematypes.ts'

/**
 * Everything that is wrong with the schema of a version of a CustomResourceDefinition, in the words and the order of
 * apiextensions-apiserver. `path` is that of `openAPIV3Schema`.
 */
export function checkCrdSchema(
  schema: JsonValue,
  path: string,
  options: { readonly hasStatus: boolean; readonly isStored?: boolean },
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
  const isSound = structural.length === 0 && defaults.length === 0
  const rules = isSound ? ruleFindings(schema, path, standard, options.isStored === true) : []
  return [...out, ...structural, ...defaults, ...standard, ...rules]
}

/** Rules that cannot be used or cost too much; those of parts that have other problems wait for their solution. */
function ruleFindings(
  schema: JsonObject,
  path: string,
  others: readonly FieldError[],
  isStored: boolean,
): FieldError[] {
  const isUnsound = (part: SchemaPath): boolean => {
    const where = pathText(part, path)
    return others.some(
      (e) => e.field.startsWith(where) && [undefined, '.', '['].includes(e.field[where.length]),
    )
  }
  return checkRules(schema as CelSchema, path, { isUnsound, isStored }).map((p) => {
    const field = pathText(p.path, path)
    if (p.kind === 'forbidden') return forbidden(field, p.message)
    if (p.kind === 'internal') return internalError(field, p.message)
    if (p.value !== undefined) return invalid(field, p.value, p.message)
    const rule = goRule(at(schema, ...p.path.slice(0, -1)))
    return { field, type: 'Invalid', message: `Invalid value: ${rule}: ${p.message}` }
  })
}

type SchemaPath = RuleProblem['path']

/** A rule as Go prints it, which has no JSON names for it. */
function goRule(rule: JsonValue | undefined): string {
  const texts = ['rule', 'message', 'messageExpression'].map((n) => goJson(member(rule, n) ?? ''))
  const [reason, optional] = [member(rule, 'reason') ?? null, member(rule, 'optionalOldSelf') ?? null]
  const path = goJson(member(rule, 'fieldPath') ?? '')
  return `{"Rule":${texts[0]},"Message":${texts[1]},"MessageExpression":${texts[2]},"Reason":${goJson(reason)},"FieldPath":${path},"OptionalOldSelf":${optional}}`
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
  const found = compileSchema(s as Schema).validate(value)
  for (const e of found) {
    const rest = e.field === '<nil>' ? '' : e.field.startsWith('[') ? e.field : `.${e.field}`
    out.push({ ...e, field: `${path}${rest}` })
  }
  if (found.length === 0) checkDefaultByRules(s as Schema, value, path, out)
}

/** A default has to be valid beside itself, and where there was nothing before. */
function checkDefaultByRules(s: Schema, value: JsonValue, path: string, out: FieldError[]): void {
  const rules = rulesOfPart(s)
  if (!rules) return
  const asOld = evaluateRules(rules, value, { old: value, path })
  out.push(...(asOld.length > 0 ? asOld : evaluateRules(rules, value, { path })))
}
