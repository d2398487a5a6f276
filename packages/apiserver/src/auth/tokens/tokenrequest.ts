import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import {
  at,
  encodeJson,
  isArray,
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
} from '@lockstep/kube/object'
import { failureAnswer, jsonAnswer } from '../../render/jsonanswer.ts'
import { objectOf } from '../../request/answercreate.ts'
import type { Media } from '../../request/negotiate.ts'
import type { RequestContext } from '../../request/requestcontext.ts'
import type { ObjectDraft } from '../../resources/objectdraft.ts'
import { asObject } from '../../resources/objectdraft.ts'
import type { ServedKind } from '../../resources/servedkind.ts'
import { resourceOf } from '../../resources/servedkind.ts'
import { builtinSchema } from '../../schema/builtinresource.ts'
import { invalid as invalidValue } from '../../schema/invalidfield.ts'
import type { FieldError } from '../../schema/schematypes.ts'
import { timestamp } from '../../server/embeddedcluster.ts'
import type { ApiFailure } from '../../status/apifailure.ts'
import { badRequest, conflict, methodNotAllowed, notFound } from '../../status/apifailure.ts'
import { invalid } from '../../status/invalid.ts'
import type { Bindable } from './tokenclaims.ts'
import { AUDIENCE, bindable, liveObject, tokenClaims } from './tokenclaims.ts'

const TYPE = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const
const HOUR = 3600

/** POST on `serviceaccounts/NAME/token` (kubernetes pkg/registry/core/serviceaccount). */
export async function answerTokenRequest(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { cluster, kind, route } = ask
  const schema = builtinSchema(TYPE)
  if (ask.request.method !== 'POST' || !schema) return failureAnswer(methodNotAllowed)
  const asked: ServedKind = { ...kind, info: { ...kind.info, ...TYPE }, schema, rules: PLAIN }
  const read = await objectOf({ ...ask, kind: asked, route: { ...route, subresource: '' } }, 'CreateOptions')
  if (!read.ok) return failureAnswer(read.error, ask.warnings)
  const account = liveObject(cluster, kind.info.plural, route.namespace, route.name)
  if (!account) return failureAnswer(notFound(resourceOf(kind), route.name))
  const { draft } = read.value
  const spec = { audiences: [AUDIENCE], expirationSeconds: HOUR, ...given(draft.spec) }
  const wrong = findings(draft, route.name, spec.expirationSeconds)
  if (wrong.length > 0)
    return failureAnswer(
      invalid({ group: TYPE.group, name: TYPE.kind }, nameOf(draft) === undefined ? '' : route.name, wrong),
    )
  const bound = boundTo(ask, account, draft.spec)
  if (!bound.ok) return failureAnswer(bound.error)
  const claims = tokenClaims(cluster, account, spec.audiences, spec.expirationSeconds, bound.value)
  const answer = asObject({
    ...draft,
    metadata: { name: route.name, namespace: route.namespace, creationTimestamp: timestamp(cluster) },
    spec: { boundObjectRef: null, ...(draft.spec as ObjectDraft | undefined), ...spec },
    status: {
      token: cluster.issuer.issue(claims),
      expirationTimestamp: timestamp(cluster, spec.expirationSeconds),
    },
  })
  return jsonAnswer(201, encodeJson(answer), media.format, ask.warnings)
}

const PLAIN: ServedKind['rules'] = { generation: 'none', unconditional: true, name: () => [] }

function given(spec: JsonValue | undefined): {
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
} {
  const [audiences, seconds] = [at(spec, 'audiences'), at(spec, 'expirationSeconds')]
  const list = isArray(audiences) ? audiences.filter(isString) : []
  return {
    ...(list.length > 0 && { audiences: list }),
    ...(typeof seconds === 'number' && { expirationSeconds: seconds }),
  }
}

const nameOf = (draft: ObjectDraft): JsonValue | undefined => at(draft.metadata, 'name')

function findings(draft: ObjectDraft, account: string, seconds: number): FieldError[] {
  const out: FieldError[] = []
  const name = nameOf(draft)
  if (name !== undefined && name !== account)
    out.push(invalidValue('metadata.name', name, 'must match the service account name if specified'))
  const refuse = (why: string): void => void out.push(invalidValue('spec.expirationSeconds', seconds, why))
  if (seconds < 600) refuse('may not specify a duration less than 10 minutes')
  if (seconds > 2 ** 32) refuse('may not specify a duration larger than 2^32 seconds')
  return out
}

type TokenBinding = { readonly to: Bindable; readonly object: KubeObject } | undefined

/** What the token is to end with. */
function boundTo(
  ask: RequestContext,
  account: KubeObject,
  spec: JsonValue | undefined,
): Result<TokenBinding, ApiFailure> {
  const ref = at(spec, 'boundObjectRef')
  if (!isObject(ref)) return ok(undefined)
  const of = (member: string): string => (isString(ref[member]) ? ref[member] : '')
  const to = of('apiVersion') === 'v1' ? bindable(of('kind')) : undefined
  if (!to)
    return err(badRequest(`cannot bind token to object of type /${of('apiVersion')}, Kind=${of('kind')}`))
  const namespace = to.namespaced ? (account.metadata.namespace ?? '') : ''
  const object = liveObject(ask.cluster, to.plural, namespace, of('name'))
  const subject = { group: '', name: to.plural }
  if (!object) return err(notFound(subject, of('name')))
  const { uid } = object.metadata
  if (of('uid') === '' || of('uid') === uid) return ok({ to, object })
  const why = `the UID in the bound object reference (${of('uid')}) does not match the UID in record. The object might have been deleted and then recreated`
  return err(conflict(subject, of('name'), why))
}
