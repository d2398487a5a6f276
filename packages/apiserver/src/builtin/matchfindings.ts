import { isArray, isObject, isString, type JsonObject, type JsonValue, member } from '@lockstep/kube/object'
import { invalid, notSupported, required } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')
const texts = (v: JsonValue | undefined): readonly string[] => (isArray(v) ? v.map(text) : [])
const objects = (v: JsonValue | undefined): readonly JsonObject[] => (isArray(v) ? v.filter(isObject) : [])

/** What a policy or binding is about; a policy has to say it (kubernetes pkg/apis/admissionregistration/validation). */
export function matchFindings(match: JsonValue | undefined, path: string, needed: boolean): FieldError[] {
  if (!isObject(match)) return needed ? [required(path)] : []
  const out: FieldError[] = []
  const policy = text(match.matchPolicy)
  if (!['Equivalent', 'Exact'].includes(policy))
    out.push(notSupported(`${path}.matchPolicy`, policy, ['Equivalent', 'Exact']))
  const rules = objects(match.resourceRules)
  if (needed && rules.length === 0) out.push(required(`${path}.resourceRules`))
  out.push(...rules.flatMap((r, i) => ruleFindings(r, `${path}.resourceRules[${i}]`)))
  const excluded = objects(match.excludeResourceRules)
  return [...out, ...excluded.flatMap((r, i) => ruleFindings(r, `${path}.excludeResourceRules[${i}]`))]
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const SCOPES = ['*', 'Cluster', 'Namespaced']

function ruleFindings(rule: JsonObject, path: string): FieldError[] {
  const operations = texts(member(rule, 'operations'))
  const scope = text(rule.scope)
  return [
    ...listFindings(rule, 'operations', path, 'operations'),
    ...operations.flatMap((o, i) =>
      OPERATIONS.includes(o) ? [] : [notSupported(`${path}.operations[${i}]`, o, OPERATIONS)],
    ),
    ...listFindings(rule, 'apiGroups', path, 'API groups'),
    ...listFindings(rule, 'apiVersions', path, 'API versions'),
    ...emptyFindings(rule, 'apiVersions', path),
    ...(texts(member(rule, 'resources')).length === 0 ? [required(`${path}.resources`)] : []),
    ...emptyFindings(rule, 'resources', path),
    ...(SCOPES.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, SCOPES)]),
  ]
}

/** Something has to be named, and all is not named together with some. */
function listFindings(rule: JsonObject, name: string, path: string, what: string): FieldError[] {
  const list = texts(member(rule, name))
  if (list.length === 0) return [required(`${path}.${name}`)]
  if (list.length === 1 || !list.includes('*')) return []
  const says = `if '*' is present, must not specify other ${what}`
  return [invalid(`${path}.${name}`, member(rule, name), says)]
}

const emptyFindings = (rule: JsonObject, name: string, path: string): FieldError[] =>
  texts(member(rule, name)).flatMap((v, i) => (v === '' ? [required(`${path}.${name}[${i}]`)] : []))
