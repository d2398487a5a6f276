/** Policies and bindings that are wrong: what both servers find is compared cause by cause. */
import type { JsonObject } from '../../packages/kube/src/object/index.ts'
import { about, BINDINGS, creates, GROUP, POLICIES } from './policies.cases.ts'

const wrong = (
  spec: JsonObject,
  kind = 'ValidatingAdmissionPolicy',
): readonly [string, string, JsonObject] => [
  JSON.stringify(spec).slice(0, 110),
  kind === 'ValidatingAdmissionPolicy' ? POLICIES : BINDINGS,
  { apiVersion: GROUP, kind, metadata: { name: 'a' }, spec },
]
const expressions = (...list: (string | JsonObject)[]): JsonObject => ({
  ...creates,
  validations: list.map((e) => (typeof e === 'string' ? { expression: e } : e)),
})

export const wrongPolicies = [
  wrong({}),
  wrong(creates),
  wrong(expressions('', 'object.x ==', '1', 'params.x == 1', 'self.x == 1', 'variables.x == 1', 'a\nb')),
  wrong(
    expressions(
      "authorizer.path('/x').check('get')",
      "authorizer.requestResource.check('get').allowed()",
      "namespaceObject.metadata.foo == ''",
      "request.foo == ''",
      'object.x',
    ),
  ),
  wrong(
    expressions(
      { expression: 'true', message: ' ', reason: 'Foo' },
      { expression: 'true', message: 'a\nb' },
      { expression: 'true', messageExpression: '1' },
      { expression: 'true', messageExpression: ' ' },
      { expression: 'true', messageExpression: 'authorizer.x' },
    ),
  ),
  wrong({
    ...creates,
    failurePolicy: 'Foo',
    variables: [
      { name: '1a', expression: '1' },
      { name: 'b', expression: 'variables.c' },
      { name: 'c', expression: '1' },
      { name: 'd', expression: '' },
    ],
    matchConditions: [
      { name: '', expression: '1' },
      { name: 'x', expression: 'true' },
      { name: 'y', expression: '' },
    ],
    auditAnnotations: [
      { key: 'a b', valueExpression: '1' },
      { key: '', valueExpression: '' },
      { key: 'k', valueExpression: 'null' },
      { key: 'k', valueExpression: "'a'" },
    ],
  }),
  wrong({
    paramKind: { apiVersion: 'a/b/c', kind: '' },
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [],
          apiVersions: ['*', 'v1'],
          operations: ['CREATE', 'Foo'],
          resources: ['*', 'pods/*'],
          scope: 'X',
        },
      ],
      matchPolicy: 'Foo',
    },
    validations: [{ expression: 'true' }],
  }),
  wrong({ ...about(), validations: [{ expression: 'true' }] }),
  wrong({ policyName: '', validationActions: [] }, 'ValidatingAdmissionPolicyBinding'),
  wrong(
    { policyName: 'x', validationActions: ['Deny', 'Deny', 'Foo'], paramRef: {} },
    'ValidatingAdmissionPolicyBinding',
  ),
  wrong(
    { policyName: 'x', validationActions: ['Deny', 'Warn'], paramRef: { name: 'x', selector: {} } },
    'ValidatingAdmissionPolicyBinding',
  ),
  wrong(
    { policyName: 'x', validationActions: [], paramRef: { name: 'x', parameterNotFoundAction: 'Foo' } },
    'ValidatingAdmissionPolicyBinding',
  ),
] as const
