/** Questions about rights: each kind, right and wrong. */
import type { JsonObject } from '../../packages/kube/src/object/index.ts'
import type { AccessStep } from './accesssteps.ts'
import { as, get, post } from './accesssteps.ts'

const REVIEWS = '/apis/authorization.k8s.io/v1'

const access = (kind: string, spec: JsonObject, namespace?: string): AccessStep =>
  post(
    `${kind} ${JSON.stringify(spec)}`,
    `${REVIEWS}/${namespace ? `namespaces/${namespace}/` : ''}${kind.toLowerCase()}s?fieldManager=m`,
    { kind, apiVersion: 'authorization.k8s.io/v1', spec },
  )
const pods = { verb: 'get', resource: 'pods', namespace: 'default' }

export const reviews: readonly AccessStep[] = [
  access('SubjectAccessReview', { user: 'u', resourceAttributes: pods }),
  access('SubjectAccessReview', { user: 'u', groups: ['system:masters'], resourceAttributes: pods }),
  access('SubjectAccessReview', {
    groups: ['system:authenticated'],
    nonResourceAttributes: { verb: 'get', path: '/api' },
  }),
  access('SubjectAccessReview', {
    user: 'ada',
    resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default' },
  }),
  access('SubjectAccessReview', {
    user: 'ada',
    resourceAttributes: { verb: 'approve', group: 'x.io', resource: 'things', namespace: 'default' },
  }),
  access('SubjectAccessReview', {
    user: 'u',
    resourceAttributes: pods,
    nonResourceAttributes: { verb: 'get', path: '/api' },
  }),
  access('SubjectAccessReview', {}),
  access('SelfSubjectAccessReview', {}),
  access('SelfSubjectAccessReview', { resourceAttributes: { ...pods, verb: 'approve' } }),
  access('LocalSubjectAccessReview', { user: 'u', resourceAttributes: pods }, 'default'),
  access('LocalSubjectAccessReview', { user: 'u', resourceAttributes: pods }, 'kube-system'),
  access('LocalSubjectAccessReview', { user: 'u', resourceAttributes: { verb: 'get' } }, 'default'),
  access(
    'LocalSubjectAccessReview',
    { user: 'u', nonResourceAttributes: { verb: 'get', path: '/' } },
    'default',
  ),
  access('SelfSubjectRulesReview', {}),
  ...[as('ada'), as('bob'), as('mallory')].map((headers) => ({
    ...access('SelfSubjectRulesReview', { namespace: 'default' }),
    name: `rules of ${headers['impersonate-user']}`,
    headers,
  })),
  get('a review is read', `${REVIEWS}/subjectaccessreviews`),
  get('a review has no name', `${REVIEWS}/subjectaccessreviews/x`),
]
