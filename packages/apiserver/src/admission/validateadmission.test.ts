import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
const CMS = '/api/v1/namespaces/default/configmaps'
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

type Cluster = ReturnType<typeof testCluster>

const rule = (operations: string[], resources = ['configmaps'], apiGroups = [''], apiVersions = ['v1']) => ({
  resourceRules: [{ apiGroups, apiVersions, operations, resources }],
})

async function forbid(c: Cluster, name: string, spec: object, binding: object = {}): Promise<void> {
  const policy = await c.call('POST', POLICIES, { metadata: { name }, spec })
  expect(policy).toMatchObject({ status: 201 })
  expect(policy.headers.warning).toBeUndefined()
  const bound = { policyName: name, validationActions: ['Deny'], ...binding }
  expect(await c.call('POST', BINDINGS, { metadata: { name }, spec: bound })).toMatchObject({ status: 201 })
}

const config = (name: string, data: object = {}) => ({ metadata: { name }, data })

describe('an admission policy', () => {
  it('is in force once it is stored, and until it is gone', async () => {
    const c = testCluster()
    await forbid(c, 'p', {
      matchConstraints: rule(['CREATE', 'UPDATE']),
      validations: [{ expression: '!("x" in object.data)', message: 'no x' }],
    })
    const says =
      "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no x"
    expect(await c.call('POST', CMS, config('a', { x: '1' }))).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: says, details: { name: 'a', kind: 'configmaps' } },
    })
    await c.call('POST', CMS, config('a', { y: '1' }))
    expect(
      await c.apply(`${CMS}/a`, { apiVersion: 'v1', kind: 'ConfigMap', ...config('a', { x: '1' }) }, 'm'),
    ).toMatchObject({ status: 422, body: { message: says } })
    await c.call('DELETE', `${BINDINGS}/p`)
    expect(
      await c.apply(`${CMS}/a`, { apiVersion: 'v1', kind: 'ConfigMap', ...config('a', { x: '1' }) }, 'm'),
    ).toMatchObject({ status: 200 })
  })

  it('never refuses what policies are made of', async () => {
    const c = testCluster()
    await forbid(c, 'all', {
      matchConstraints: rule(['*'], ['*/*'], ['*'], ['*']),
      validations: [{ expression: 'false' }],
    })
    expect(await c.call('POST', CMS, config('a'))).toMatchObject({ status: 422 })
    expect(await c.call('DELETE', `${POLICIES}/all`)).toMatchObject({ status: 200 })
    expect(await c.call('POST', CMS, config('a'))).toMatchObject({ status: 201 })
  })

  it('asks for another version of the same objects, unless it wants one exactly', async () => {
    const c = testCluster()
    const version = (name: string) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })
    const names = { plural: 'things', kind: 'Thing' }
    await c.call('POST', DEFINITIONS, {
      metadata: { name: 'things.x.io' },
      spec: { group: 'x.io', scope: 'Cluster', names, versions: [version('v1'), version('v2')] },
    })
    await c.settle()
    const spec = {
      matchConstraints: rule(['CREATE'], ['things'], ['x.io'], ['v1']),
      validations: [
        {
          expression: 'object.metadata.name == ""',
          messageExpression:
            'object.apiVersion + " " + request.kind.version + " " + request.requestKind.version',
        },
      ],
    }
    await forbid(c, 'p', spec)
    const made = (): ReturnType<Cluster['call']> =>
      c.call('POST', '/apis/x.io/v2/things', {
        apiVersion: 'x.io/v2',
        kind: 'Thing',
        metadata: { name: 'a' },
      })
    expect((await made()).body.message).toContain('denied request: x.io/v1 v1 v2')
    const exact = { matchConstraints: { ...spec.matchConstraints, matchPolicy: 'Exact' } }
    await c.call('PATCH', `${POLICIES}/p`, { spec: exact }, 'application/merge-patch+json')
    expect((await made()).status).toBe(201)
  })

  it('keeps what a namespace that ends has in it, until it lets go', async () => {
    const c = testCluster()
    await c.call('POST', '/api/v1/namespaces', { metadata: { name: 'q' } })
    await c.call('POST', '/api/v1/namespaces/q/configmaps', config('kept'))
    await forbid(c, 'keep', {
      matchConstraints: rule(['DELETE']),
      validations: [{ expression: 'oldObject.metadata.name != "kept"', message: 'kept' }],
    })
    await c.call('DELETE', '/api/v1/namespaces/q')
    await c.settle()
    const { conditions } = (await c.call('GET', '/api/v1/namespaces/q')).body.status
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceDeletionContentFailure',
        status: 'True',
        reason: 'ContentDeletionFailed',
        message: expect.stringContaining(
          '1 remaining: configmaps "kept" is forbidden: ValidatingAdmissionPolicy \'keep\'',
        ),
      }),
    )
    await c.call('DELETE', `${BINDINGS}/keep`)
    await c.later(5000)
    expect((await c.call('GET', '/api/v1/namespaces/q')).status).toBe(404)
  })

  it('keeps what the garbage collector would take, until it lets go', async () => {
    const c = testCluster()
    const { uid } = (await c.call('POST', CMS, config('owner'))).body.metadata
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }
    await c.call('POST', CMS, { metadata: { name: 'kept', ownerReferences: [owner] } })
    await forbid(c, 'keep', {
      matchConstraints: rule(['DELETE']),
      validations: [{ expression: 'oldObject.metadata.name != "kept"' }],
    })
    await c.call('DELETE', `${CMS}/owner`)
    await c.settle()
    expect((await c.call('GET', `${CMS}/kept`)).status).toBe(200)
    await c.call('DELETE', `${BINDINGS}/keep`)
    await c.later(5000)
    expect((await c.call('GET', `${CMS}/kept`)).status).toBe(404)
  })

  it('is asked about writes in this process, too', async () => {
    const c = testCluster()
    await forbid(c, 'p', {
      matchConstraints: rule(['CREATE']),
      validations: [
        {
          expression: 'request.userInfo.username != "tester"',
          messageExpression: '"no " + request.userInfo.username',
        },
      ],
    })
    const made = c.server.local.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } },
      'tester',
    )
    expect(made).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('denied request: no tester') },
    })
  })
})

describe('parameters', () => {
  const pat = { 'impersonate-user': 'pat' }
  const policy = (kind: string) => ({
    metadata: { name: kind.toLowerCase() },
    spec: {
      paramKind: { apiVersion: 'v1', kind },
      matchConstraints: rule(['CREATE']),
      validations: [{ expression: 'true' }],
    },
  })
  const binding = (paramRef: object) => ({
    metadata: { name: 'b' },
    spec: {
      policyName: 'secret',
      validationActions: ['Deny'],
      paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
    },
  })

  it('are read by policies only of those who may read them', async () => {
    const c = testCluster()
    const rules = [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }]
    await c.call('POST', `${RBAC}/clusterroles`, { metadata: { name: 'policies' }, rules })
    await c.call('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'policies' },
      roleRef: { kind: 'ClusterRole', name: 'policies' },
      subjects: [{ kind: 'User', name: 'pat' }],
    })
    const refused = await c.call('POST', POLICIES, policy('Secret'), undefined, pat)
    expect(refused).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.paramKind' }] } },
    })
    await c.call('POST', POLICIES, policy('Secret'))
    for (const [ref, verb] of [
      [{ name: 'x', namespace: 'default' }, 'get'],
      [{ selector: {}, namespace: 'default' }, 'list'],
    ] as const)
      expect((await c.call('POST', BINDINGS, binding(ref), undefined, pat)).body.message).toContain(
        `spec.paramRef: Forbidden: user &{pat  [system:authenticated] map[]} does not have "${verb}" permission on the object referenced by paramRef`,
      )
    expect(await c.call('POST', BINDINGS, binding({ name: 'x' }))).toMatchObject({ status: 201 })
    const label = { metadata: { labels: { a: 'b' } } }
    const patched = await c.call('PATCH', `${BINDINGS}/b`, label, 'application/merge-patch+json', pat)
    expect(patched.status).toBe(200)
  })
})

describe('an approval', () => {
  /** Who approves has to say so in their own name, and to have the verb. */
  const honest = {
    matchConstraints: rule(['CREATE'], ['approvals'], ['x.io']),
    validations: [
      {
        expression: 'object.spec.approvedBy == request.userInfo.username',
        message: 'approvedBy must be the requester',
      },
      {
        expression:
          'authorizer.group("x.io").resource("modules").namespace(object.metadata.namespace).name(object.spec.target).check("approve").allowed()',
        messageExpression: '"not an approver of " + object.spec.target',
      },
    ],
  }

  async function withApprovals(): Promise<
    (user: string, by: string, target: string) => ReturnType<Cluster['call']>
  > {
    const c = testCluster()
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    await c.call('POST', DEFINITIONS, {
      metadata: { name: 'approvals.x.io' },
      spec: {
        group: 'x.io',
        scope: 'Namespaced',
        names: { plural: 'approvals', kind: 'Approval' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    await c.settle()
    const rules = [
      { apiGroups: ['x.io'], resources: ['approvals'], verbs: ['create'] },
      { apiGroups: ['x.io'], resources: ['modules'], resourceNames: ['m'], verbs: ['approve'] },
    ]
    await c.call('POST', `${RBAC}/clusterroles`, { metadata: { name: 'approver' }, rules })
    await c.call('POST', `${RBAC}/clusterroles`, { metadata: { name: 'writer' }, rules: rules.slice(0, 1) })
    for (const [role, name] of [
      ['approver', 'ann'],
      ['writer', 'joe'],
    ])
      await c.call('POST', `${RBAC}/namespaces/default/rolebindings`, {
        metadata: { name },
        roleRef: { kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'User', name }],
      })
    await forbid(c, 'approvals', honest)
    return (user, approvedBy, target) =>
      c.call(
        'POST',
        '/apis/x.io/v1/namespaces/default/approvals',
        {
          apiVersion: 'x.io/v1',
          kind: 'Approval',
          metadata: { generateName: 'a-' },
          spec: { approvedBy, target },
        },
        undefined,
        { 'impersonate-user': user },
      )
  }

  it.each([
    ['in the name of another', 'joe', 'ann', 'm', 422, 'approvedBy must be the requester'],
    ['without the verb', 'joe', 'joe', 'm', 422, 'not an approver of m'],
    ['of another target', 'ann', 'ann', 'n', 422, 'not an approver of n'],
    ['honest', 'ann', 'ann', 'm', 201, undefined],
  ] as const)('%s', async (_, user, by, target, status, says) => {
    const answer = await (await withApprovals())(user, by, target)
    expect(answer.status).toBe(status)
    if (says) expect(answer.body.message).toContain(`denied request: ${says}`)
  })
})
