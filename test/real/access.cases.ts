/** Requests by users who may do little: what both servers answer is compared word for word. */
import type { JsonObject } from '../../packages/kube/src/object/index.ts'
import type { AccessStep } from './accesssteps.ts'
import { as, get, NS, post } from './accesssteps.ts'
import { reviews } from './reviews.cases.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const APPLY = 'application/apply-patch+yaml'

const role = (name: string, ...rules: JsonObject[]): JsonObject => ({ metadata: { name }, rules })
const rule = (group: string, resources: string[], verbs: string[], names?: string[]): JsonObject => ({
  apiGroups: [group],
  resources,
  verbs,
  ...(names && { resourceNames: names }),
})
const binding = (name: string, kind: string, to: string, ...subjects: JsonObject[]): JsonObject => ({
  metadata: { name },
  roleRef: { kind, name: to, apiGroup: 'rbac.authorization.k8s.io' },
  subjects,
})
const user = (name: string): JsonObject => ({ kind: 'User', name })

const CRS = `${RBAC}/clusterroles`
const CRBS = `${RBAC}/clusterrolebindings`
const ROLES = `${RBAC}/namespaces/default/roles`
const ROLEBINDINGS = `${RBAC}/namespaces/default/rolebindings`
const config = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
})

const nobody: readonly AccessStep[] = [
  get('anonymous: health', '/healthz', { by: 'nobody' }),
  get('anonymous: discovery', '/api', { by: 'nobody' }),
  get('anonymous: a list', '/api/v1/namespaces', { by: 'nobody' }),
  get('anonymous: a path that is not there', '/nope', { by: 'nobody' }),
  get('a token that nobody has', '/healthz', { by: 'nobody', headers: { authorization: 'Bearer x' } }),
  get('another scheme is no credential', '/healthz', {
    by: 'nobody',
    headers: { authorization: 'Basic eDp5' },
  }),
]

const refusals: readonly AccessStep[] = [
  get('a namespace', NS, { by: 'plain' }),
  get('a cluster-scoped list', '/api/v1/nodes', { by: 'plain' }),
  get('a subresource', '/apis/apps/v1/namespaces/default/deployments/d/scale', { by: 'plain' }),
  get('a kind that is not served', '/apis/ex.io/v1/namespaces/default/things/a', { by: 'plain' }),
  get('a watch of one name', `${NS}/pods?watch=true&fieldSelector=metadata.name%3Dx`, { by: 'plain' }),
  get('a list of a name that is escaped', `${NS}/pods?fieldSelector=status.phase!%3D%5C,metadata.name%3Dx`, {
    by: 'plain',
  }),
  { name: 'a collection is deleted', method: 'DELETE', path: `${NS}/pods`, by: 'plain' },
  post('something is created', `${NS}/pods`, {}, { by: 'plain' }),
  { name: 'a status is replaced', method: 'PUT', path: `${NS}/pods/p/status`, body: {}, by: 'plain' },
  get('a path', '/nope?x=1', { by: 'plain' }),
  get('a user with signs in the name', `${NS}/pods`, { headers: as('<a&b> "c"') }),
]

/** Since 1.36, modes of impersonation allow single verbs. */
const CONSTRAINED = 36

const impersonation: readonly AccessStep[] = [
  get('plain as another user', '/api', { by: 'plain', headers: as('x'), since: CONSTRAINED }),
  get('plain as a ServiceAccount', '/api', {
    by: 'plain',
    headers: as('system:serviceaccount:a:b'),
    since: CONSTRAINED,
  }),
  get('plain as a node', '/api', { by: 'plain', headers: as('system:node:n1'), since: CONSTRAINED }),
  get('plain as a ServiceAccount with a group', '/api', {
    by: 'plain',
    headers: as('system:serviceaccount:a:b', 'g'),
    since: CONSTRAINED,
  }),
  get('plain lists as another user', `${NS}/pods`, {
    by: 'plain',
    headers: as('x', 'system:masters'),
    since: CONSTRAINED,
  }),
  get('a group without a user', '/api', { headers: { 'impersonate-group': 'g' }, since: CONSTRAINED }),
  get('all without a user', '/api?x=1', {
    since: CONSTRAINED,
    headers: { 'impersonate-group': 'g', 'impersonate-uid': 'i', 'impersonate-extra-foo': 'e' },
  }),
  ...[
    as('u'),
    as('u', 'g'),
    as('u', 'system:authenticated'),
    as('system:serviceaccount:a:b'),
    as('system:serviceaccount:a:b', 'g'),
    { ...as('u'), 'impersonate-uid': '7', 'impersonate-extra-foo%2fbar': 'x' },
  ].map((headers, i) =>
    post(
      `whoami ${i}`,
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
      { headers },
    ),
  ),
  post('a role that lets impersonate one user and one extra', CRS, {
    metadata: { name: 'mimic' },
    rules: [
      rule('', ['users'], ['impersonate'], ['jane']),
      rule('authentication.k8s.io', ['userextras/reason'], ['impersonate']),
    ],
  }),
  post('it is bound', CRBS, binding('mimic', 'ClusterRole', 'mimic', user('plain'))),
  get('plain as jane', '/api', { by: 'plain', headers: as('jane') }),
  get('plain as jane of a group', '/api', { by: 'plain', headers: as('jane', 'system:masters') }),
  get('plain as jane with a reason', '/api', {
    by: 'plain',
    headers: { ...as('jane'), 'impersonate-extra-reason': 'r' },
  }),
  get('plain as jane with another extra', '/api', {
    by: 'plain',
    headers: { ...as('jane'), 'impersonate-extra-scopes': 'r' },
  }),
  get('plain as jane with a uid', '/api', {
    by: 'plain',
    headers: { ...as('jane'), 'impersonate-uid': '1' },
  }),
  post('a role that lets list Pods as one user', CRS, {
    metadata: { name: 'mimic-list' },
    rules: [
      rule('', ['pods'], ['impersonate-on:user-info:list']),
      rule('authentication.k8s.io', ['users'], ['impersonate:user-info'], ['kim']),
      rule('', ['pods'], ['list']),
    ],
  }),
  post(
    'it is bound to plain and kim',
    CRBS,
    binding('mimic-list', 'ClusterRole', 'mimic-list', user('plain'), user('kim')),
  ),
  get('plain lists Pods as kim', `${NS}/pods`, { by: 'plain', headers: as('kim'), since: CONSTRAINED }),
  get('plain lists ConfigMaps as kim', `${NS}/configmaps`, {
    by: 'plain',
    headers: as('kim'),
    since: CONSTRAINED,
  }),
]

const ada = { headers: as('ada') }

const rights: readonly AccessStep[] = [
  post('a role', ROLES, role('reader', rule('', ['configmaps', 'pods/log'], ['get', 'list'], undefined))),
  post('a binding', ROLEBINDINGS, binding('reader', 'Role', 'reader', user('ada'))),
  post('one whose role is absent', ROLEBINDINGS, binding('gone', 'Role', 'gone', user('ada'))),
  post('another one', CRBS, binding('gone', 'ClusterRole', 'gone', user('ada'))),
  get('what the role allows', `${NS}/configmaps?limit=1&labelSelector=none`, ada),
  get('elsewhere it does not', '/api/v1/namespaces/kube-system/configmaps', ada),
  get('nor everywhere', '/api/v1/configmaps', ada),
  get('nor a watch', `${NS}/configmaps?watch=1`, ada),
  get('a subresource that it names', `${NS}/pods/p/log`, ada),
  get('one that it does not name', `${NS}/pods/p/status`, ada),
  post('what updates may not create', ROLES, role('changer', rule('', ['configmaps'], ['patch', 'update']))),
  post('is bound', ROLEBINDINGS, binding('changer', 'Role', 'changer', user('ada'))),
  {
    name: 'an apply that creates',
    method: 'PATCH',
    path: `${NS}/configmaps/new?fieldManager=m`,
    type: APPLY,
    body: config('new'),
    ...ada,
  },
  {
    name: 'a patch of what is not there',
    method: 'PATCH',
    path: `${NS}/configmaps/new`,
    type: 'application/merge-patch+json',
    body: {},
    ...ada,
  },
  {
    name: 'a lease that a PUT creates',
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/l',
    body: { metadata: { name: 'l' } },
    ...ada,
  },
]

const escalation: readonly AccessStep[] = [
  post(
    'who may write roles',
    CRS,
    role('writer', rule('rbac.authorization.k8s.io', ['*'], ['*'], undefined)),
  ),
  post(
    'but not escalate or bind',
    CRS,
    role(
      'limited',
      rule(
        'rbac.authorization.k8s.io',
        ['roles', 'rolebindings', 'clusterroles'],
        ['create', 'update', 'patch', 'get', 'delete'],
      ),
      rule('', ['pods'], ['get']),
    ),
  ),
  post('is bob', CRBS, binding('limited', 'ClusterRole', 'limited', user('bob'))),
  post('a role within his rights', ROLES, role('within', rule('', ['pods'], ['get'])), {
    headers: as('bob'),
  }),
  post(
    'one that exceeds them',
    ROLES,
    role(
      'beyond',
      rule('', ['pods', 'secrets'], ['get', 'list'], undefined),
      rule('apps', ['deployments'], ['get'], ['a', 'b']),
    ),
    { headers: as('bob', 'g') },
  ),
  post(
    'one with paths',
    CRS,
    { metadata: { name: 'paths' }, rules: [{ nonResourceURLs: ['/a', '/b/*'], verbs: ['get'] }] },
    { headers: as('bob') },
  ),
  post(
    'one that gathers',
    CRS,
    {
      metadata: { name: 'gathers' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
    { headers: as('bob') },
  ),
  {
    name: 'a change that exceeds',
    method: 'PATCH',
    path: `${ROLES}/within`,
    type: 'application/merge-patch+json',
    body: { rules: [rule('', ['pods'], ['*'])] },
    headers: as('bob'),
  },
  {
    name: 'a change of what a collector needs',
    method: 'PATCH',
    path: `${ROLES}/reader`,
    type: 'application/merge-patch+json',
    body: { metadata: { finalizers: ['x.io/a'] } },
    headers: as('bob'),
  },
  {
    name: 'and back',
    method: 'PATCH',
    path: `${ROLES}/reader`,
    type: 'application/merge-patch+json',
    body: { metadata: { finalizers: null } },
    headers: as('bob'),
  },
  post('a binding within his rights', ROLEBINDINGS, binding('within', 'Role', 'within', user('eve')), {
    headers: as('bob'),
  }),
  post('a binding that exceeds them', ROLEBINDINGS, binding('beyond', 'Role', 'reader', user('eve')), {
    headers: as('bob'),
  }),
  post('a binding of an absent role', ROLEBINDINGS, binding('absent', 'ClusterRole', 'absent', user('eve')), {
    headers: as('bob'),
  }),
  post(
    'may bind one',
    CRS,
    role('binder', rule('rbac.authorization.k8s.io', ['roles'], ['bind'], ['reader'])),
  ),
  post('is bob, too', CRBS, binding('binder', 'ClusterRole', 'binder', user('bob'))),
  post('now he binds it', ROLEBINDINGS, binding('beyond', 'Role', 'reader', user('eve')), {
    headers: as('bob'),
  }),
  post('may escalate', CRS, role('escalator', rule('rbac.authorization.k8s.io', ['roles'], ['escalate']))),
  post('is bob as well', CRBS, binding('escalator', 'ClusterRole', 'escalator', user('bob'))),
  post('now he writes what he has not', ROLES, role('beyond', rule('', ['secrets'], ['*'])), {
    headers: as('bob'),
  }),
]

const validation: readonly AccessStep[] = [
  post('a role with wrong rules', CRS, {
    metadata: { name: 'w' },
    rules: [
      { verbs: [] },
      { verbs: ['get'], resources: ['pods'] },
      { verbs: ['get'], apiGroups: [''], nonResourceURLs: ['/a'] },
    ],
  }),
  post('paths in a namespace', ROLES, {
    metadata: { name: 'w' },
    rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }],
  }),
  post('nothing to gather by', CRS, {
    metadata: { name: 'w' },
    aggregationRule: { clusterRoleSelectors: [] },
  }),
  post(
    'wrong subjects',
    ROLEBINDINGS,
    binding(
      'w',
      'Foo',
      '',
      { kind: 'User', name: '' },
      { kind: 'User', name: 'x', apiGroup: 'q' },
      { kind: 'ServiceAccount', name: 'x', apiGroup: 'q' },
      { kind: 'ServiceAccount', name: 'A_', namespace: 'q' },
      { kind: 'Z', name: 'x' },
    ),
  ),
  post('a wrong role', CRBS, binding('w', 'Role', 'a/b', { kind: 'ServiceAccount', name: 'x' })),
]

const ACCOUNTS = `${NS}/serviceaccounts`
const TOKEN = `${ACCOUNTS}/bot/token`

const tokens: readonly AccessStep[] = [
  post('an account', ACCOUNTS, { metadata: { name: 'bot' } }),
  post('a token that ends soon', TOKEN, { spec: { expirationSeconds: 10 } }),
  post('one that never ends', TOKEN, { spec: { expirationSeconds: 10_000_000_000 } }),
  post('one of an absent account', `${ACCOUNTS}/absent/token`, { spec: {} }),
  post('one that is bound to an absent Pod', TOKEN, {
    spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'absent' } },
  }),
  post('one that is bound to anything', TOKEN, {
    spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' } },
  }),
  post('one of another name', TOKEN, { metadata: { name: 'x' }, spec: {} }),
  get('a token is not read', TOKEN),
  ...[{ token: 'nobody' }, {}].map((spec, i) =>
    post(`a token is reviewed ${i}`, '/apis/authentication.k8s.io/v1/tokenreviews', {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec,
    }),
  ),
]

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const POLICIES = `${ADMISSION}/validatingadmissionpolicies`
const BINDINGS = `${ADMISSION}/validatingadmissionpolicybindings`
const reading = (kind: string, apiVersion: string): JsonObject => ({
  metadata: { name: 'reads' },
  spec: {
    paramKind: { apiVersion, kind },
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['x.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] },
      ],
    },
    validations: [{ expression: 'true' }],
  },
})
const bound = (policyName: string, paramRef: JsonObject): JsonObject => ({
  metadata: { name: 'reads' },
  spec: {
    policyName,
    validationActions: ['Deny'],
    paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
  },
})
const pat = { headers: as('pat', 'readers') }

const parameters: readonly AccessStep[] = [
  post('who may write policies', CRS, {
    metadata: { name: 'policies' },
    rules: [rule('admissionregistration.k8s.io', ['*'], ['*']), rule('', ['configmaps'], ['get'])],
  }),
  post('is pat', CRBS, binding('policies', 'ClusterRole', 'policies', user('pat'))),
  post('a policy that reads what he may not', POLICIES, reading('Secret', 'v1'), pat),
  post('one that reads what is not there', POLICIES, reading('Nope', 'x.io/v1'), pat),
  post('one that reads what he may', `${POLICIES}?dryRun=All`, reading('ConfigMap', 'v1'), pat),
  post('a binding of an absent policy', BINDINGS, bound('absent', { name: 'x' }), pat),
]

export const accessCases: Readonly<Record<string, readonly AccessStep[]>> = {
  'who says nothing of himself': nobody,
  refusals: refusals,
  impersonation: impersonation,
  'rights of a namespace': rights,
  'nobody gives away more than he has': escalation,
  'roles and bindings that are wrong': validation,
  reviews,
  'tokens of ServiceAccounts': tokens,
  'parameters of policies': parameters,
}
