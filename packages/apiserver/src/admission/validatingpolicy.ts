import type { CelProgram } from '@lockstep/cel/program'
import type { CelType } from '@lockstep/cel/type'
import type { Result } from '@lockstep/kube/env'
import {
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type LabelSelector,
  member,
} from '@lockstep/kube/object'
import { compileExpression } from './compileexpression.ts'

export const GROUP = 'admissionregistration.k8s.io'

/** An expression; what does not compile any more says so when it is to be evaluated. */
export type CompiledPart = Result<CelProgram, string>

export interface PolicyValidation {
  readonly expression: string
  readonly program: CompiledPart
  readonly message: string
  readonly messageProgram: CompiledPart | undefined
  readonly reason: string
}

/** A ValidatingAdmissionPolicy, compiled. */
export interface ValidatingPolicy {
  readonly name: string
  readonly ignoresFailures: boolean
  readonly paramKind: { readonly apiVersion: string; readonly kind: string } | undefined
  readonly constraints: Constraints
  readonly conditions: readonly { readonly expression: string; readonly program: CompiledPart }[]
  readonly variables: readonly { readonly name: string; readonly program: CompiledPart }[]
  readonly validations: readonly PolicyValidation[]
  readonly annotations: readonly { readonly expression: string; readonly program: CompiledPart }[]
}

/** A ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding {
  readonly name: string
  readonly policyName: string
  readonly paramRef: ParamRef | undefined
  /** None: as the policy says. */
  readonly constraints: Constraints | undefined
  readonly actions: readonly string[]
}

export interface ParamRef {
  readonly name: string
  readonly namespace: string
  readonly selector: LabelSelector | undefined
  readonly deniesAbsence: boolean
}

/** What a policy is about (admissionregistration/v1 MatchResources). */
export interface Constraints {
  readonly rules: readonly ResourceRule[]
  readonly excluded: readonly ResourceRule[]
  /** Only the versions that are named; else the same objects in others as well. */
  readonly isExact: boolean
  readonly namespaces: LabelSelector
  readonly objects: LabelSelector
}

export interface ResourceRule {
  readonly operations: readonly string[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly scope: string
}

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')
const texts = (v: JsonValue | undefined): readonly string[] => (isArray(v) ? v.filter(isString) : [])
const objects = (v: JsonValue | undefined): readonly JsonObject[] => (isArray(v) ? v.filter(isObject) : [])

/** The variables of a policy see those before them. */
export function compileVariables(
  list: readonly JsonObject[],
  params: boolean,
): { readonly programs: readonly CompiledPart[]; readonly types: ReadonlyMap<string, CelType> } {
  const types = new Map<string, CelType>()
  const programs = list.map((v) => {
    const program = compileExpression(
      text(v.expression),
      { params, authorizer: true, variables: new Map(types) },
      [],
    )
    if (program.ok) types.set(text(v.name), program.value.result)
    return program
  })
  return { programs, types }
}

const policies = new WeakMap<KubeObject, ValidatingPolicy>()

/** A stored policy is compiled once: objects are never changed. */
export function policyOf(o: KubeObject): ValidatingPolicy {
  const known = policies.get(o)
  if (known) return known
  const made = readPolicy(o)
  policies.set(o, made)
  return made
}

function readPolicy(o: KubeObject): ValidatingPolicy {
  const spec = o.spec as JsonValue | undefined
  const paramKind = member(spec, 'paramKind')
  const params = isObject(paramKind)
  const list = objects(member(spec, 'variables'))
  const { programs, types } = compileVariables(list, params)
  const variables = list.length > 0 ? types : undefined
  const names = { params, authorizer: true, ...(variables && { variables }) }
  return {
    name: o.metadata.name ?? '',
    ignoresFailures: member(spec, 'failurePolicy') === 'Ignore',
    paramKind: isObject(paramKind)
      ? { apiVersion: text(paramKind.apiVersion), kind: text(paramKind.kind) }
      : undefined,
    constraints: constraintsOf(member(spec, 'matchConstraints')),
    conditions: objects(member(spec, 'matchConditions')).map((c) => ({
      expression: text(c.expression),
      program: compileExpression(text(c.expression), { params, authorizer: true }, ['bool']),
    })),
    variables: list.map((v, i) => ({ name: text(v.name), program: programs[i]! })),
    validations: objects(member(spec, 'validations')).map((v) => ({
      expression: text(v.expression),
      program: compileExpression(text(v.expression), names, ['bool']),
      message: text(v.message),
      messageProgram: isString(v.messageExpression)
        ? compileExpression(v.messageExpression, { ...names, authorizer: false }, ['string'])
        : undefined,
      reason: text(v.reason) || 'Invalid',
    })),
    annotations: objects(member(spec, 'auditAnnotations')).map((a) => ({
      expression: text(a.valueExpression),
      program: compileExpression(text(a.valueExpression), names, ['string', 'null_type']),
    })),
  }
}

export function bindingOf(o: KubeObject): PolicyBinding {
  const spec = o.spec as JsonValue | undefined
  const ref = member(spec, 'paramRef')
  const own = member(spec, 'matchResources')
  return {
    name: o.metadata.name ?? '',
    policyName: text(member(spec, 'policyName')),
    paramRef: isObject(ref) ? paramRefOf(ref) : undefined,
    constraints: isObject(own) ? constraintsOf(own) : undefined,
    actions: texts(member(spec, 'validationActions')),
  }
}

const paramRefOf = (ref: JsonObject): ParamRef => ({
  name: text(ref.name),
  namespace: text(ref.namespace),
  selector: isObject(ref.selector) ? (ref.selector as LabelSelector) : undefined,
  deniesAbsence: ref.parameterNotFoundAction === 'Deny',
})

function constraintsOf(v: JsonValue | undefined): Constraints {
  return {
    rules: objects(member(v, 'resourceRules')).map(ruleOf),
    excluded: objects(member(v, 'excludeResourceRules')).map(ruleOf),
    isExact: member(v, 'matchPolicy') === 'Exact',
    namespaces: (member(v, 'namespaceSelector') ?? {}) as LabelSelector,
    objects: (member(v, 'objectSelector') ?? {}) as LabelSelector,
  }
}

const ruleOf = (r: JsonObject): ResourceRule => ({
  operations: texts(r.operations),
  apiGroups: texts(r.apiGroups),
  apiVersions: texts(r.apiVersions),
  resources: texts(r.resources),
  resourceNames: texts(r.resourceNames),
  scope: text(r.scope) || '*',
})
