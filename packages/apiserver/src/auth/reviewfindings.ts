import { at, isArray, isObject, type JsonValue, jsonEqual, member } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import type { ResourceInfo } from '../resources/resourceinfo.ts'
import { invalid as invalidValue } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest } from '../status/apifailure.ts'
import { invalid } from '../status/invalid.ts'

const GROUPS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Kinds that answer a question: they are posted, and nothing is stored. */
export const isReview = (r: ResourceInfo): boolean => GROUPS.has(r.group)

/** What is wrong with a question about access (kubernetes pkg/apis/authorization/validation). */
export function reviewFindings(kind: string, review: ObjectDraft): ApiFailure | undefined {
  const spec = review.spec as JsonValue | undefined
  if (kind === 'SelfSubjectRulesReview')
    return at(spec, 'namespace') ? undefined : badRequest('no namespace on request')
  if (kind === 'TokenReview')
    return at(spec, 'token') ? undefined : badRequest('token is required for TokenReview in authentication')
  if (!kind.endsWith('AccessReview')) return undefined
  const found = [
    ...attributeFindings(spec),
    ...(kind === 'SelfSubjectAccessReview' ? [] : userFindings(spec)),
    ...(kind === 'LocalSubjectAccessReview' ? localFindings(review, spec) : metaFindings(review)),
  ]
  return found.length > 0 ? invalid({ group: 'authorization.k8s.io', name: '' }, '', found) : undefined
}

function attributeFindings(spec: JsonValue | undefined): FieldError[] {
  const path = member(spec, 'nonResourceAttributes')
  const hasResource = isObject(member(spec, 'resourceAttributes'))
  if (isObject(path) && hasResource)
    return [
      invalidValue(
        'spec.nonResourceAttributes',
        shownPath(path),
        'cannot be specified in combination with resourceAttributes',
      ),
    ]
  if (isObject(path) || hasResource) return []
  const says = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalidValue('spec.resourceAttributes', undefined, says)]
}

/** As the server's own type has it. */
const shownPath = (path: JsonValue): JsonValue => ({
  Path: at(path, 'path') ?? '',
  Verb: at(path, 'verb') ?? '',
})

function userFindings(spec: JsonValue | undefined): FieldError[] {
  const groups = member(spec, 'groups')
  if (member(spec, 'user') || (isArray(groups) && groups.length > 0)) return []
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')]
}

function localFindings(review: ObjectDraft, spec: JsonValue | undefined): FieldError[] {
  const wanted = at(spec, 'resourceAttributes', 'namespace') ?? ''
  const path = member(spec, 'nonResourceAttributes')
  if (isObject(path))
    return [invalidValue('spec.nonResourceAttributes', shownPath(path), 'disallowed on this kind of request')]
  return isObject(member(spec, 'resourceAttributes')) && wanted !== at(review.metadata, 'namespace')
    ? [invalidValue('spec.resourceAttributes.namespace', wanted, 'must match metadata.namespace')]
    : []
}

function metaFindings(review: ObjectDraft): FieldError[] {
  const { managedFields: _m, creationTimestamp: _t, ...meta } = review.metadata as ObjectDraft
  return jsonEqual(meta as JsonValue, {})
    ? []
    : [invalidValue('metadata', meta as JsonValue, 'must be empty')]
}
