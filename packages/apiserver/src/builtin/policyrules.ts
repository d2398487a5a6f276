import {
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
  member,
} from '@lockstep/kube/object'
import type { ExpressionNames } from '../admission/compileexpression.ts'
import { compileExpression } from '../admission/compileexpression.ts'
import { compileVariables } from '../admission/validatingpolicy.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { fill, items, within } from '../resources/objectdraft.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { qualifiedName } from '../write/dns1123label.ts'
import { matchFindings } from './matchfindings.ts'
import type { SpecialRules } from './specialrules.ts'

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')
const objects = (v: JsonValue | undefined): readonly JsonObject[] => (isArray(v) ? v.filter(isObject) : [])
const specChanged = (next: KubeObject, old: KubeObject): boolean => !jsonEqual(next.spec, old.spec)

const POLICY_NAMES = ['Fail', 'Ignore']
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']

/** kubernetes pkg/apis/admissionregistration/validation. Expressions that did not change have been accepted before. */
function policyFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = next.spec as JsonValue | undefined
  if (old && jsonEqual(next.spec, old.spec)) return []
  const params = isObject(member(spec, 'paramKind'))
  const variables = objects(member(spec, 'variables'))
  const { programs, types } = compileVariables(variables, params)
  const names: ExpressionNames = {
    params,
    authorizer: true,
    ...(variables.length > 0 && { variables: types }),
  }
  const policy = member(spec, 'failurePolicy')
  return [
    ...(policy !== undefined && !POLICY_NAMES.includes(text(policy))
      ? [notSupported('spec.failurePolicy', policy, POLICY_NAMES)]
      : []),
    ...paramKindFindings(member(spec, 'paramKind')),
    ...matchFindings(member(spec, 'matchConstraints'), 'spec.matchConstraints', true),
    ...conditionFindings(objects(member(spec, 'matchConditions')), params),
    ...variables.flatMap((v, i) => variableFindings(v, programs[i]!, `spec.variables[${i}]`)),
    ...nothingFindings(spec),
    ...objects(member(spec, 'validations')).flatMap((v, i) =>
      validationFindings(v, names, `spec.validations[${i}]`),
    ),
    ...annotationFindings(next.metadata.name ?? '', objects(member(spec, 'auditAnnotations')), names),
  ]
}

function paramKindFindings(kind: JsonValue | undefined): FieldError[] {
  if (!isObject(kind)) return []
  const [version, name] = [text(kind.apiVersion), text(kind.kind)]
  const out: FieldError[] = []
  if (version === '') out.push(required('spec.paramKind.apiVersion'))
  else if (version.split('/').length > 2)
    out.push(invalid('spec.paramKind.apiVersion', version, `unexpected GroupVersion string: ${version}`))
  return name === '' ? [...out, required('spec.paramKind.kind')] : out
}

/** A policy that neither validates nor annotates does nothing. */
function nothingFindings(spec: JsonValue | undefined): FieldError[] {
  const has = (name: string): boolean => objects(member(spec, name)).length > 0
  if (has('validations') || has('auditAnnotations')) return []
  const says = 'validations or auditAnnotations must contain at least one item'
  return [required('spec.validations', says), required('spec.auditAnnotations', says)]
}

const MISSING = 'expression is not specified'

function conditionFindings(list: readonly JsonObject[], params: boolean): FieldError[] {
  return list.flatMap((c, i) => {
    const path = `spec.matchConditions[${i}]`
    const [name, expression] = [text(c.name), text(c.expression)]
    const out =
      expression.trim() === ''
        ? [required(`${path}.expression`)]
        : compiledFindings(expression, { params, authorizer: true }, ['bool'], `${path}.expression`)
    if (name === '') return [...out, required(`${path}.name`)]
    return [...out, ...qualifiedName(name).map((e) => invalid(`${path}.name`, name, e))]
  })
}

function variableFindings(
  v: JsonObject,
  program: ReturnType<typeof compileExpression>,
  path: string,
): FieldError[] {
  const [name, expression] = [text(v.name), text(v.expression)]
  const out: FieldError[] = []
  if (name === '') out.push(required(`${path}.name`, 'name is not specified'))
  else if (!/^[A-Za-z_]\w*$/.test(name))
    out.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'))
  if (expression.trim() === '') return [...out, required(`${path}.expression`, MISSING)]
  return program.ok ? out : [...out, invalid(`${path}.expression`, expression, program.error)]
}

function compiledFindings(
  expression: string,
  names: ExpressionNames,
  wanted: Parameters<typeof compileExpression>[2],
  path: string,
): FieldError[] {
  const program = compileExpression(expression, names, wanted)
  return program.ok ? [] : [invalid(path, expression, program.error)]
}

function validationFindings(v: JsonObject, names: ExpressionNames, path: string): FieldError[] {
  const expression = text(v.expression)
  const out =
    expression.trim() === ''
      ? [required(`${path}.expression`, MISSING)]
      : compiledFindings(expression, names, ['bool'], `${path}.expression`)
  out.push(...messageFindings(v, names, path))
  if (isString(v.reason) && !REASONS.includes(v.reason))
    out.push(notSupported(`${path}.reason`, v.reason, REASONS))
  return out
}

function messageFindings(v: JsonObject, names: ExpressionNames, path: string): FieldError[] {
  const { message, messageExpression: computed } = v
  const out: FieldError[] = []
  if (isString(computed) && computed !== '') {
    const at = `${path}.messageExpression`
    if (computed.trim() === '') out.push(invalid(at, computed, 'must be non-empty if specified'))
    else out.push(...compiledFindings(computed, { ...names, authorizer: false }, ['string'], at))
  }
  if (!isString(message) || message === '') return out
  const at = `${path}.message`
  if (message.trim() === '') out.push(invalid(at, message, 'message must be non-empty if specified'))
  else if (message.trim().includes('\n'))
    out.push(invalid(at, message, 'message must not contain line breaks'))
  return out
}

function annotationFindings(
  policy: string,
  list: readonly JsonObject[],
  names: ExpressionNames,
): FieldError[] {
  const seen = new Set<string>()
  return list.flatMap((a, i) => {
    const path = `spec.auditAnnotations[${i}]`
    const [key, expression] = [text(a.key), text(a.valueExpression)]
    const out = qualifiedName(`${policy}/${key}`).map((e) => invalid(`${path}.key`, `${policy}/${key}`, e))
    if (key !== '' && seen.has(key)) out.push(duplicate(`${path}.key`, key))
    seen.add(key)
    const at = `${path}.valueExpression`
    if (expression.trim() === '') return [...out, required(at, 'valueExpression is not specified')]
    return [...out, ...compiledFindings(expression, names, ['string', 'null_type'], at)]
  })
}

const ACTIONS = ['Audit', 'Deny', 'Warn']
const REPEATS =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

function bindingFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = next.spec as JsonValue | undefined
  if (old && jsonEqual(next.spec, old.spec)) return []
  const out: FieldError[] = member(spec, 'policyName') === '' ? [required('spec.policyName')] : []
  out.push(...paramRefFindings(member(spec, 'paramRef')))
  out.push(...matchFindings(member(spec, 'matchResources'), 'spec.matchResources', false))
  return [...out, ...actionFindings(member(spec, 'validationActions'), 'spec.validationActions')]
}

/** Those that occur twice are found by the schema, as is a list that is absent. */
function actionFindings(actions: JsonValue | undefined, path: string): FieldError[] {
  if (!isArray(actions)) return []
  if (actions.length === 0) return [required(path, 'at least one validation action is required')]
  const unknown = actions.flatMap((action, i) =>
    ACTIONS.includes(text(action)) ? [] : [notSupported(`${path}[${i}]`, action, ACTIONS)],
  )
  return actions.includes('Deny') && actions.includes('Warn')
    ? [...unknown, invalid(path, actions, REPEATS)]
    : unknown
}

function paramRefFindings(ref: JsonValue | undefined): FieldError[] {
  if (!isObject(ref)) return []
  const hasName = text(ref.name) !== ''
  const hasSelector = isObject(ref.selector)
  const out: FieldError[] = []
  const both = 'name and selector are mutually exclusive'
  if (hasName && hasSelector)
    out.push(forbidden('spec.paramRef.name', both), forbidden('spec.paramRef.selector', both))
  if (!hasName && !hasSelector)
    out.push(required('spec.paramRef', 'one of name or selector must be specified'))
  const action = ref.parameterNotFoundAction
  const path = 'spec.paramRef.parameterNotFoundAction'
  if (!isString(action) || action === '') return [...out, required(path)]
  return ['Deny', 'Allow'].includes(action) ? out : [...out, notSupported(path, action, ['Deny', 'Allow'])]
}

function defaultMatch(m: ObjectDraft | undefined): void {
  fill(m, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} })
  for (const list of ['resourceRules', 'excludeResourceRules'])
    for (const r of items(m, list)) fill(r, { scope: '*' })
}

/** Admission policies: what is stored is obeyed from then on. */
export const policyRules: Readonly<Record<string, SpecialRules>> = {
  'ValidatingAdmissionPolicy.admissionregistration.k8s.io': {
    generation: specChanged,
    validate: policyFindings,
    defaults(o) {
      fill(within(o, 'spec'), { failurePolicy: 'Fail' })
      defaultMatch(within(o, 'spec', 'matchConstraints'))
    },
  },
  'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io': {
    generation: specChanged,
    validate: bindingFindings,
    defaults: (o) => defaultMatch(within(o, 'spec', 'matchResources')),
  },
}
