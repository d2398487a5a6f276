/** Admission policies: the same ones on both servers, and writes that they are about. */
import type { JsonObject, JsonValue } from '../../packages/kube/src/object/index.ts'
import type { TwinRequest } from './servertwin.ts'

export const GROUP = 'admissionregistration.k8s.io/v1'
export const POLICIES = `/apis/${GROUP}/validatingadmissionpolicies`
export const BINDINGS = `/apis/${GROUP}/validatingadmissionpolicybindings`
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** One namespace for each case, so that no policy is about the objects of another. */
export interface PolicyCase {
  readonly name: string
  /** Spec of the policy, without the namespace that it is limited to. */
  readonly policy: JsonObject
  readonly binding?: JsonObject
  /** Before the policy. */
  readonly before?: readonly ((namespace: string) => TwinRequest)[]
  readonly steps: readonly ((namespace: string) => TwinRequest)[]
}

const NS = (namespace: string): string => `/api/v1/namespaces/${namespace}`

const config =
  (name: string, data: JsonObject = {}, more: Partial<TwinRequest> = {}) =>
  (namespace: string): TwinRequest => ({
    method: 'POST',
    path: `${NS(namespace)}/configmaps`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
    ...more,
  })

const change =
  (name: string, body: JsonValue, more: Partial<TwinRequest> = {}) =>
  (namespace: string): TwinRequest => ({
    method: 'PATCH',
    path: `${NS(namespace)}/configmaps/${name}`,
    type: 'application/merge-patch+json',
    body,
    ...more,
  })

const remove =
  (name: string) =>
  (namespace: string): TwinRequest => ({ method: 'DELETE', path: `${NS(namespace)}/configmaps/${name}` })

export const rule = (
  operations: string[],
  resources = ['configmaps'],
  group = '',
  version = 'v1',
): JsonObject => ({
  apiGroups: [group],
  apiVersions: [version],
  operations,
  resources,
})
export const about = (...rules: JsonObject[]): JsonObject => ({ matchConstraints: { resourceRules: rules } })
export const creates = about(rule(['CREATE']))
const valid = (expression: string, more: JsonObject = {}): JsonObject => ({ expression, ...more })

const REQUEST = [
  'request.operation',
  'request.name',
  'string(has(request.subResource))',
  'request.kind.group + "/" + request.kind.version + "/" + request.kind.kind',
  'request.resource.resource',
  'request.requestKind.kind',
  'string(request.dryRun)',
  'request.userInfo.username',
  'request.userInfo.groups.join(" ")',
  'request.options.kind',
  'string(object == null)',
  'string(oldObject == null)',
  'namespaceObject.metadata.labels["kubernetes.io/metadata.name"].split("-")[0]',
  'namespaceObject.status.phase',
].join(' + "," + ')

export const policyCases: readonly PolicyCase[] = [
  {
    name: 'reasons, texts and variables',
    policy: {
      ...creates,
      variables: [{ name: 'count', expression: 'has(object.data) ? size(object.data) : 0' }],
      validations: [
        valid('variables.count < 3', { messageExpression: "'too many: ' + string(variables.count)" }),
        valid("!('f' in object.data)", { message: 'no f', reason: 'Forbidden' }),
        valid("!('l' in object.data)", { message: 'too large', reason: 'RequestEntityTooLarge' }),
        valid("  !('x' in object.data)  "),
        valid("!('e' in object.data) || object.data.nope == ''"),
        valid("!('m' in object.data)", { message: 'said', messageExpression: 'string(object.nope)' }),
        valid("!('n' in object.data)", { messageExpression: "' '" }),
      ],
    },
    steps: [
      config('a', { a: '', b: '', c: '' }),
      config('a', { f: '' }),
      config('a', { l: '' }),
      config('a', { x: '' }),
      config('a', { e: '' }),
      config('a', { e: '', f: '' }),
      config('a', { m: '' }),
      config('a', { n: '' }),
      config('a'),
      config('a'),
      change('a', { data: { f: '1' } }),
    ],
  },
  {
    name: 'what expressions are told',
    policy: {
      ...about(rule(['CREATE', 'UPDATE', 'DELETE'])),
      validations: [valid('request.name == "ok"', { messageExpression: REQUEST })],
      matchConditions: [
        { name: 'labelled', expression: "!(request.name in ['a', 'ok']) || request.operation != 'CREATE'" },
      ],
    },
    before: [config('z')],
    steps: [
      config('a'),
      config('b'),
      config('b', {}, { headers: { 'impersonate-user': 'u', 'impersonate-group': 'system:masters' } }),
      (n) => ({ ...config('b')(n), path: `${NS(n)}/configmaps?dryRun=All` }),
      change('a', { data: { a: 'b' } }),
      change('a', {}),
      (n) => ({
        ...change(
          'new',
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
          { type: 'application/apply-patch+yaml' },
        )(n),
        path: `${NS(n)}/configmaps/new?fieldManager=m`,
      }),
      remove('z'),
      (n) => ({ method: 'DELETE', path: `${NS(n)}/configmaps` }),
    ],
  },
  {
    name: 'an apply that changes nothing',
    policy: { ...about(rule(['UPDATE'])), validations: [valid('false', { message: 'as it is' })] },
    before: [
      (n) => ({
        method: 'PATCH',
        path: `${NS(n)}/configmaps/a?fieldManager=m`,
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } },
      }),
    ],
    steps: [
      (n) => ({
        method: 'PATCH',
        path: `${NS(n)}/configmaps/a?fieldManager=m`,
        type: 'application/apply-patch+yaml',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } },
      }),
      change('a', {}),
    ],
  },
  {
    name: 'warnings',
    policy: {
      ...creates,
      validations: [
        valid("!('w' in object.data)", { message: 'w is old' }),
        valid('false', { message: 'never' }),
      ],
    },
    binding: { validationActions: ['Warn', 'Audit'] },
    steps: [config('a', { w: '' }), config('b')],
  },
  {
    name: 'a policy whose failures are ignored',
    policy: {
      ...creates,
      failurePolicy: 'Ignore',
      validations: [valid('object.nope.x == 1'), valid("object.metadata.name != 'b'")],
    },
    steps: [config('a'), config('b')],
  },
  {
    name: 'conditions that fail',
    policy: {
      ...creates,
      matchConditions: [
        { name: 'one', expression: 'object.nope == 1' },
        { name: 'two', expression: "object.metadata.name == 'a'" },
      ],
      validations: [valid('false')],
    },
    steps: [config('a'), config('b')],
  },
  {
    name: 'parameters that are named',
    policy: {
      ...about(rule(['CREATE'], ['secrets'])),
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        valid('object.metadata.name != params.data.name', { messageExpression: "'not ' + params.data.name" }),
      ],
    },
    binding: { validationActions: ['Deny'], paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
    steps: [
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'a' } } }),
      config('params', { name: 'a' }),
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'a' } } }),
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'b' } } }),
    ],
  },
  {
    name: 'parameters that are selected',
    policy: {
      ...about(rule(['CREATE'], ['secrets'])),
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [valid("has(params.data) && params.data.name != 'no'")],
    },
    binding: {
      validationActions: ['Deny'],
      paramRef: { selector: { matchLabels: { p: '1' } }, parameterNotFoundAction: 'Allow' },
    },
    steps: [
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'a' } } }),
      config('p', { name: 'no' }),
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'b' } } }),
      change('p', { metadata: { labels: { p: '1' } } }),
      (n) => ({ method: 'POST', path: `${NS(n)}/secrets`, body: { metadata: { name: 'c' } } }),
    ],
  },
  {
    name: 'parameters that the binding does not name',
    policy: {
      ...creates,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [valid("params.data.name == ''")],
    },
    steps: [config('a')],
  },
  {
    name: 'a kind of parameters that is not there',
    policy: { ...creates, paramKind: { apiVersion: 'x.io/v1', kind: 'Nope' }, validations: [valid('true')] },
    steps: [config('a')],
  },
  {
    name: 'rights',
    policy: {
      ...creates,
      validations: [
        valid(
          "authorizer.group('x.io').resource('things').namespace('default').name('t').check('approve').allowed()",
          { message: 'no approver' },
        ),
        valid(
          "authorizer.serviceAccount('default', 'bot').group('').resource('pods').check('get').allowed() == false",
        ),
        valid("authorizer.path('/healthz').check('get').allowed()", { message: 'no health' }),
        valid("authorizer.requestResource.check('create').allowed()", { message: 'may not create' }),
        valid("object.metadata.name != 'r'", { message: 'named r' }),
      ],
    },
    before: [
      () => ({
        method: 'POST',
        path: `${RBAC}/clusterroles`,
        body: {
          metadata: { name: 'policy-writer' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
        },
      }),
      () => ({
        method: 'POST',
        path: `${RBAC}/clusterrolebindings`,
        body: {
          metadata: { name: 'policy-writer' },
          roleRef: { kind: 'ClusterRole', name: 'policy-writer', apiGroup: 'rbac.authorization.k8s.io' },
          subjects: [{ kind: 'Group', name: 'writers' }],
        },
      }),
      () => ({
        method: 'POST',
        path: `${RBAC}/clusterroles`,
        body: {
          metadata: { name: 'policy-approver' },
          rules: [{ apiGroups: ['x.io'], resources: ['things'], resourceNames: ['t'], verbs: ['approve'] }],
        },
      }),
      () => ({
        method: 'POST',
        path: `${RBAC}/namespaces/default/rolebindings`,
        body: {
          metadata: { name: 'policy-approver' },
          roleRef: { kind: 'ClusterRole', name: 'policy-approver', apiGroup: 'rbac.authorization.k8s.io' },
          subjects: [{ kind: 'User', name: 'ann' }],
        },
      }),
    ],
    steps: [
      config('a', {}, { headers: { 'impersonate-user': 'joe', 'impersonate-group': 'writers' } }),
      config('a', {}, { headers: { 'impersonate-user': 'ann', 'impersonate-group': 'writers' } }),
      config('r', {}, { headers: { 'impersonate-user': 'ann', 'impersonate-group': 'writers' } }),
      config('b'),
    ],
  },
  {
    name: 'what costs too much, and a variable that fails',
    policy: {
      ...creates,
      variables: [{ name: 'bad', expression: 'object.nope.x' }],
      validations: [
        valid(
          "object.metadata.name != 'c' || [1,2,3,4,5].all(x, authorizer.path('/x').check('get').allowed())",
        ),
        valid("object.metadata.name != 'v' || variables.bad"),
      ],
    },
    steps: [config('c'), config('v'), config('a')],
  },
  {
    name: 'annotations that fail',
    policy: { ...creates, auditAnnotations: [{ key: 'k', valueExpression: 'string(object.nope)' }] },
    binding: { validationActions: ['Audit'] },
    steps: [config('a')],
  },
  {
    name: 'objects that are chosen, and names',
    policy: {
      matchConstraints: {
        resourceRules: [rule(['*'])],
        excludeResourceRules: [{ ...rule(['CREATE', 'UPDATE']), resourceNames: ['free'] }],
        objectSelector: { matchLabels: { chosen: 'yes' } },
      },
      validations: [valid('false', { message: 'chosen' })],
    },
    steps: [
      config('a'),
      (n) => ({ ...config('b')(n), body: { metadata: { name: 'b', labels: { chosen: 'yes' } } } }),
      (n) => ({ ...config('free')(n), body: { metadata: { name: 'free', labels: { chosen: 'yes' } } } }),
      change('a', { metadata: { labels: { chosen: 'yes' } } }),
      change('free', { metadata: { labels: null } }),
      remove('free'),
      remove('a'),
    ],
  },
  {
    name: 'subresources',
    policy: {
      ...about(rule(['UPDATE'], ['deployments/scale', 'deployments/status'], 'apps')),
      validations: [
        valid("object.kind != 'Scale' || object.spec.replicas < 3", {
          messageExpression:
            "object.kind + string(object.spec.replicas) + '/' + request.subResource + request.kind.kind",
        }),
        valid("request.subResource != 'status'", { message: 'no status' }),
      ],
    },
    steps: [
      (n) => ({
        method: 'POST',
        path: `/apis/apps/v1/namespaces/${n}/deployments`,
        body: {
          metadata: { name: 'd' },
          spec: {
            replicas: 5,
            selector: { matchLabels: { a: 'b' } },
            template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      }),
      (n) => ({
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/${n}/deployments/d/scale`,
        type: 'application/merge-patch+json',
        body: { spec: { replicas: 4 } },
      }),
      (n) => ({
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/${n}/deployments/d/scale`,
        type: 'application/merge-patch+json',
        body: { spec: { replicas: 2 } },
      }),
      (n) => ({
        method: 'PATCH',
        path: `/apis/apps/v1/namespaces/${n}/deployments/d/status`,
        type: 'application/merge-patch+json',
        body: { status: { replicas: 2 } },
      }),
    ],
  },
]
