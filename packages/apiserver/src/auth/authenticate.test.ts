import { describe, expect, it } from 'vitest'
import { connectInProcess } from '../../../kube/src/env/inprocess.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { createApiServer } from '../server/apiserver.ts'
import { testCluster } from '../server/testcluster.cases.ts'
import type { AccessOptions } from './authenticate.ts'
import { ADMIN } from './user.ts'

const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'

async function whoami(access: AccessOptions, headers: Record<string, string>): Promise<unknown> {
  const server = createApiServer(createSimEnv('access'), { name: 'a', access })
  const answer = await connectInProcess(server.handle).request({
    method: 'POST',
    path: WHOAMI,
    headers,
    body: '{}',
  })
  const text = answer.ok ? await answer.value.text() : answer
  return text.ok ? JSON.parse(text.value) : undefined
}

const strict: AccessOptions = {
  anonymous: 'nobody',
  tokens: new Map([
    ['t', { name: 'u', groups: ['g'] }],
    ['m', ADMIN],
  ]),
}

describe('who makes a request', () => {
  it.each([
    [
      'an administrator, where nobody is asked',
      { anonymous: 'admin' } as AccessOptions,
      {},
      ['admin', ['system:masters', 'system:authenticated']],
    ],
    ['the user of a token', strict, { authorization: 'Bearer t' }, ['u', ['g', 'system:authenticated']]],
    [
      'whom the user stands for',
      strict,
      { authorization: 'bearer m', 'impersonate-user': 'x', 'impersonate-group': 'a, b' },
      ['x', ['a', 'b', 'system:authenticated']],
    ],
    [
      'a ServiceAccount with the groups of it',
      strict,
      { authorization: 'Bearer m', 'impersonate-user': 'system:serviceaccount:n:a' },
      [
        'system:serviceaccount:n:a',
        ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
      ],
    ],
  ] as const)('%s', async (_, access, headers, [username, groups]) => {
    expect(await whoami(access, headers)).toMatchObject({ status: { userInfo: { username, groups } } })
  })

  it('is not looked at where no tokens are known', async () => {
    expect(await whoami({ anonymous: 'admin' }, { authorization: 'Bearer x' })).toMatchObject({
      status: { userInfo: { username: 'admin' } },
    })
  })

  it('is refused with a token that nobody has, and may do next to nothing without one', async () => {
    expect(await whoami(strict, { authorization: 'Bearer x' })).toMatchObject({
      code: 401,
      reason: 'Unauthorized',
    })
    expect(await whoami(strict, {})).toMatchObject({ code: 403, reason: 'Forbidden' })
  })
})

describe('roles that gather others', () => {
  const label = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
  const rules = [{ apiGroups: ['x.io'], resources: ['things'], verbs: ['get', 'approve'] }]

  it('follow them, through one another, also when they go', async () => {
    const c = testCluster()
    await c.call('POST', ROLES, { metadata: { name: 'things', labels: label }, rules })
    await c.settle()
    for (const name of ['view', 'edit', 'admin'])
      expect((await c.call('GET', `${ROLES}/${name}`)).body.rules).toContainEqual(rules[0])
    await c.call('DELETE', `${ROLES}/things`)
    await c.settle()
    for (const name of ['view', 'edit', 'admin'])
      expect((await c.call('GET', `${ROLES}/${name}`)).body.rules).not.toContainEqual(rules[0])
  })

  it('are complete from the start: nothing is written until somebody writes', async () => {
    const c = testCluster()
    const before = c.commits.length
    await c.settle()
    expect(c.commits.length).toBe(before)
    const { rules: all } = (await c.call('GET', `${ROLES}/admin`)).body
    const resources = all.flatMap((r: { resources: string[] }) => r.resources)
    expect(resources).toEqual(expect.arrayContaining(['rolebindings', 'deployments/scale', 'pods/log']))
  })
})

describe('a custom verb', () => {
  it('is a right as any other', async () => {
    const c = testCluster()
    const rules = [{ apiGroups: ['x.io'], resources: ['things'], resourceNames: ['a'], verbs: ['approve'] }]
    await c.call('POST', ROLES, { metadata: { name: 'approver' }, rules })
    await c.call('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'approver' },
      roleRef: { kind: 'ClusterRole', name: 'approver' },
      subjects: [{ kind: 'ServiceAccount', name: 'bot' }],
    })
    const may = async (name: string, namespace: string): Promise<unknown> =>
      (
        await c.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
          spec: {
            user: 'system:serviceaccount:default:bot',
            resourceAttributes: { verb: 'approve', group: 'x.io', resource: 'things', name, namespace },
          },
        })
      ).body.status
    expect(await may('a', 'default')).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by RoleBinding "approver/default" of ClusterRole "approver" to ServiceAccount "bot/default"',
    })
    expect(await may('b', 'default')).toEqual({ allowed: false })
    expect(await may('a', 'kube-system')).toEqual({ allowed: false })
  })
})
