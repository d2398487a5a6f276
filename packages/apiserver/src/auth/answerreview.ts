import { err, ok, type Result, type ServerResponse } from '@lockstep/kube/env'
import {
  at,
  encodeJson,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  member,
} from '@lockstep/kube/object'
import { failureAnswer, jsonAnswer } from '../render/jsonanswer.ts'
import { objectOf } from '../request/answercreate.ts'
import type { Media } from '../request/negotiate.ts'
import type { RequestContext } from '../request/requestcontext.ts'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asObject } from '../resources/objectdraft.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { methodNotAllowed, resourceNotFound } from '../status/apifailure.ts'
import type { Attributes } from './attributes.ts'
import { userOfToken } from './authenticate.ts'
import { authorizer } from './authorize.ts'
import { aggregate, rulesFor } from './rbac/rolegrants.ts'
import { reviewFindings } from './reviewfindings.ts'
import { AUDIENCE } from './tokens/tokenclaims.ts'
import type { User } from './user.ts'
import { userInfo } from './userinfo.ts'

/** POST of a review (kubernetes pkg/registry/authorization, pkg/registry/authentication). */
export async function answerReview(ask: RequestContext, media: Media): Promise<ServerResponse> {
  if (ask.route.name !== '') return failureAnswer(resourceNotFound)
  if (ask.request.method !== 'POST') return failureAnswer(methodNotAllowed)
  const read = await objectOf(ask, 'CreateOptions')
  if (!read.ok) return failureAnswer(read.error, ask.warnings)
  const { draft, options } = read.value
  if (ask.kind.info.namespaced) (draft.metadata as ObjectDraft).namespace ??= ask.route.namespace
  const status = judged(ask, draft)
  if (!status.ok) return failureAnswer(status.error, ask.warnings)
  const next = { ...draft, status: status.value }
  const tracked = ANSWERS_ANEW.has(ask.kind.info.kind)
    ? asObject({ ...next, metadata: anew(ask), ...(draft.spec === undefined ? {} : { spec: {} }) })
    : ask.cluster.fields.update({
        live: undefined,
        next: asObject(next),
        writer: { manager: options.manager, time: timestamp(ask.cluster) },
        schema: ask.kind.schema,
        reset: [['status']],
      })
  return jsonAnswer(201, encodeJson(tracked), media.format, ask.warnings)
}

/** Their answers are objects of their own: of what was posted nothing is in them. */
const ANSWERS_ANEW: ReadonlySet<string> = new Set(['SelfSubjectReview', 'SelfSubjectRulesReview'])

const anew = ({ kind, cluster }: RequestContext): JsonObject =>
  kind.info.kind === 'SelfSubjectReview' ? { creationTimestamp: timestamp(cluster) } : {}

function judged(ask: RequestContext, review: ObjectDraft): Result<JsonObject, ApiFailure> {
  const { kind } = ask.kind.info
  const refused = reviewFindings(kind, review)
  if (refused) return err(refused)
  switch (kind) {
    case 'SelfSubjectReview':
      return ok({ userInfo: userInfo(ask.user) })
    case 'SelfSubjectRulesReview':
      return ok(rulesStatus(ask, text(at(review.spec, 'namespace'))))
    case 'SelfSubjectAccessReview':
      return ok(accessStatus(ask, ask.user, review.spec))
    case 'TokenReview':
      return ok(tokenStatus(ask, review.spec))
    default:
      return ok(accessStatus(ask, userOf(review.spec), review.spec))
  }
}

function tokenStatus(ask: RequestContext, spec: JsonValue | undefined): JsonObject {
  const wanted = texts(member(spec, 'audiences'))
  const audiences = wanted.length > 0 ? wanted : [AUDIENCE]
  const known = userOfToken(ask.cluster, ask.access, text(member(spec, 'token')), audiences)
  if (!known.ok) return { user: {}, error: known.error }
  return { authenticated: true, user: userInfo(known.value.user), audiences: known.value.audiences }
}

function accessStatus(ask: RequestContext, user: User, spec: JsonValue | undefined): JsonObject {
  const { allowed, reason } = authorizer(ask.cluster)(user, wanted(spec))
  return { allowed, reason: reason || undefined }
}

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')
const texts = (v: JsonValue | undefined): readonly string[] => (isArray(v) ? v.filter(isString) : [])

function wanted(spec: JsonValue | undefined): Attributes {
  const of = (part: string, name: string): string => text(at(spec, part, name))
  if (isObject(member(spec, 'nonResourceAttributes')))
    return { verb: of('nonResourceAttributes', 'verb'), path: of('nonResourceAttributes', 'path') }
  const given = (name: string): string => of('resourceAttributes', name)
  return {
    verb: given('verb'),
    group: given('group'),
    resource: given('resource'),
    subresource: given('subresource'),
    namespace: given('namespace'),
    name: given('name'),
  }
}

const userOf = (spec: JsonValue | undefined): User => ({
  name: text(member(spec, 'user')),
  groups: texts(member(spec, 'groups')),
})

function rulesStatus(ask: RequestContext, namespace: string): JsonObject {
  const { rules, problems } = rulesFor(ask.cluster, ask.user, namespace)
  const ofPaths = rules.filter((r) => r.nonResourceURLs?.length)
  const ofResources = rules.filter((r) => r.resources?.length)
  return {
    resourceRules: ofResources.map((r) => ({
      verbs: r.verbs,
      apiGroups: r.apiGroups,
      resources: r.resources,
      resourceNames: r.resourceNames?.length ? r.resourceNames : undefined,
    })),
    nonResourceRules: ofPaths.map((r) => ({ verbs: r.verbs, nonResourceURLs: r.nonResourceURLs })),
    incomplete: false,
    evaluationError: problems.length > 0 ? aggregate(problems) : undefined,
  }
}
