import { type CelValue, failure } from '../value/celvalue.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'

/** What an expression asks whether somebody may do. */
export interface AccessQuestion {
  readonly verb: string
  /** Of a path; absent for a resource. */
  readonly path?: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Asked about this ServiceAccount; absent: about the user of the request. */
  readonly account?: { readonly namespace: string; readonly name: string }
}

interface AccessAnswer {
  readonly allowed: boolean
  readonly reason: string
}

export type AskAccess = (question: AccessQuestion) => AccessAnswer

/** A question that is not complete, and whom it will be put to. */
interface AuthorizerCheck {
  readonly ask: AskAccess
  readonly question: AccessQuestion
}

const NOTHING: AccessQuestion = {
  verb: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}

type AuthorizerType = 'authorizer' | 'groupcheck' | 'pathcheck' | 'resourcecheck'

const checkOf = (type: AuthorizerType, check: AuthorizerCheck): CelValue =>
  opaqueValue(type, check, (a, b) => a === b)
const answered = (answer: AccessAnswer): CelValue => opaqueValue('decision', answer, (a, b) => a === b)

/** `authorizer`: what expressions of admission policies ask for rights (apiserver pkg/cel/library/authz.go). */
export const authorizerValue = (ask: AskAccess): CelValue => checkOf('authorizer', { ask, question: NOTHING })

/** `authorizer.requestResource`: the question about the resource of the request, but for the verb. */
export const requestResourceValue = (ask: AskAccess, about: Partial<AccessQuestion>): CelValue =>
  checkOf('resourcecheck', { ask, question: { ...NOTHING, ...about } })

const refined = (from: CelValue, type: AuthorizerType, more: Partial<AccessQuestion>): CelValue => {
  const { ask, question } = dataOf<AuthorizerCheck>(from)
  return checkOf(type, { ask, question: { ...question, ...more } })
}

/** `authorizer.group(string): groupcheck` and the like: one more member of the question. */
const step = (id: string, signature: string, type: AuthorizerType, member: keyof AccessQuestion): Overload =>
  overload(id, signature, (from: CelValue, value: string) => refined(from, type, { [member]: value }))

const asked = (from: CelValue, verb: string): CelValue => {
  const { ask, question } = dataOf<AuthorizerCheck>(from)
  return answered(ask({ ...question, verb }))
}

/** A right to a namespace and a name can be asked about only for such as there may be. */
function account(from: CelValue, namespace: string, name: string): CelValue {
  if (!LABEL.test(namespace)) return failure(`Invalid service account namespace: ${namespace}`)
  if (!SUBDOMAIN.test(name)) return failure(`Invalid service account name: ${name}`)
  return refined(from, 'authorizer', { account: { namespace, name } })
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

export const authorizerFunctions: readonly Overload[] = [
  step('authorizer_path', 'authorizer.path(string): pathcheck', 'pathcheck', 'path'),
  step('authorizer_group', 'authorizer.group(string): groupcheck', 'groupcheck', 'group'),
  overload('authorizer_serviceaccount', 'authorizer.serviceAccount(string, string): authorizer', account),
  step('groupcheck_resource', 'groupcheck.resource(string): resourcecheck', 'resourcecheck', 'resource'),
  ...(['subresource', 'namespace', 'name'] as const).map((member) =>
    step(
      `resourcecheck_${member}`,
      `resourcecheck.${member}(string): resourcecheck`,
      'resourcecheck',
      member,
    ),
  ),
  overload('pathcheck_check', 'pathcheck.check(string): decision', asked),
  overload('resourcecheck_check', 'resourcecheck.check(string): decision', asked),
  overload('decision_allowed', 'decision.allowed(): bool', (d: CelValue) => dataOf<AccessAnswer>(d).allowed),
  overload('decision_reason', 'decision.reason(): string', (d: CelValue) => dataOf<AccessAnswer>(d).reason),
  // Roles give an answer in every case.
  overload('decision_errored', 'decision.errored(): bool', () => false),
  overload('decision_error', 'decision.error(): string', () => ''),
]
