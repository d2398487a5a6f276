import {
  AdmissionregistrationV1Api,
  AuthenticationV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  KubeConfig,
  RbacAuthorizationV1Api,
  Watch,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiServer, serveClusters } from '../../packages/apiserver/src/server/index.ts'
import type { Listening } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../packages/kube/src/env/node/nodelog.ts'

describe('@kubernetes/client-node against the embedded API', () => {
  const env = createNodeEnv(nodeLog('silent'))
  const config = new KubeConfig()
  let listening: Listening

  beforeAll(async () => {
    const server = createApiServer(env, { name: 'c' })
    const opened = await env.net.listen(
      { host: '127.0.0.1', port: 0 },
      serveClusters(new Map([['c', server]])),
    )
    if (!opened.ok) throw new Error(opened.error.detail)
    listening = opened.value
    config.loadFromClusterAndUser(
      { name: 'c', server: `${listening.url}/clusters/c`, skipTLSVerify: true },
      { name: 'u' },
    )
  })

  afterAll(() => listening.close())

  it('creates, reads, lists, replaces and deletes', async () => {
    const api = config.makeApiClient(CoreV1Api)
    const namespace = 'default'
    const made = await api.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'a' }, data: { k: '1' } },
    })
    expect(made.metadata?.uid).toBeDefined()
    const changed = await api.replaceNamespacedConfigMap({
      namespace,
      name: 'a',
      body: { ...made, data: { k: '2' } },
    })
    expect(changed.data).toEqual({ k: '2' })
    expect((await api.listNamespacedConfigMap({ namespace })).items.map((i) => i.metadata?.name)).toEqual([
      'a',
    ])
    await api.deleteNamespacedConfigMap({ namespace, name: 'a' })
    await expect(api.readNamespacedConfigMap({ namespace, name: 'a' })).rejects.toMatchObject({ code: 404 })
  })

  it('watches', async () => {
    const api = config.makeApiClient(CoreV1Api)
    // From a version on: a watch without one that connects late would begin after the deletion, and see nothing.
    const { resourceVersion } = (await api.listNamespacedConfigMap({ namespace: 'default' })).metadata!
    const seen: string[] = []
    let stop = () => {}
    const done = new Promise<void>((resolve) => {
      void new Watch(config)
        .watch(
          '/api/v1/namespaces/default/configmaps',
          { resourceVersion },
          (type: string, object: { metadata: { name: string } }) => {
            seen.push(`${type} ${object.metadata.name}`)
            if (seen.length === 2) resolve()
          },
          () => resolve(),
        )
        .then((controller) => {
          stop = () => controller.abort()
        })
    })
    await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'w' } } })
    await api.deleteNamespacedConfigMap({ namespace: 'default', name: 'w' })
    await done
    stop()
    expect(seen).toEqual(['ADDED w', 'DELETED w'])
  })
})

describe('@kubernetes/client-node with users', () => {
  const env = createNodeEnv(nodeLog('silent'))
  let listening: Listening
  const as = (token: string): KubeConfig => {
    const config = new KubeConfig()
    config.loadFromClusterAndUser(
      { name: 'c', server: listening.url, skipTLSVerify: true },
      { name: 'u', token },
    )
    return config
  }

  beforeAll(async () => {
    const tokens = new Map([
      ['a', { name: 'ann', groups: ['system:masters'] }],
      ['j', { name: 'joe', groups: ['people'] }],
    ])
    const server = createApiServer(env, { name: 'c', access: { tokens, anonymous: 'nobody' } })
    const opened = await env.net.listen({ host: '127.0.0.1', port: 0 }, server.handle)
    if (!opened.ok) throw new Error(opened.error.detail)
    listening = opened.value
  })

  afterAll(() => listening.close())

  it('may do what their roles allow, and know it', async () => {
    const [ann, joe] = [as('a'), as('j')]
    const namespace = 'default'
    await expect(joe.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace })).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining('User \\"joe\\" cannot list resource \\"configmaps\\"'),
    })
    const rbac = ann.makeApiClient(RbacAuthorizationV1Api)
    await rbac.createNamespacedRoleBinding({
      namespace,
      body: {
        metadata: { name: 'viewers' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'people' }],
      },
    })
    expect((await joe.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace })).items).toEqual([])
    const who = await joe.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} })
    expect(who.status?.userInfo).toMatchObject({
      username: 'joe',
      groups: ['people', 'system:authenticated'],
    })
    const may = async (verb: string): Promise<boolean | undefined> => {
      const spec = { resourceAttributes: { verb, resource: 'configmaps', namespace } }
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec }
      return (await joe.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body })).status
        ?.allowed
    }
    expect([await may('get'), await may('create')]).toEqual([true, false])
    await expect(as('x').makeApiClient(CoreV1Api).listNode()).rejects.toMatchObject({ code: 401 })
  })

  it('are a ServiceAccount with a token that they asked for', async () => {
    const api = as('a').makeApiClient(CoreV1Api)
    await api.createNamespacedServiceAccount({ namespace: 'default', body: { metadata: { name: 'bot' } } })
    const body = { spec: { audiences: [] } }
    const made = await api.createNamespacedServiceAccountToken({ namespace: 'default', name: 'bot', body })
    const bot = as(made.status?.token ?? '').makeApiClient(AuthenticationV1Api)
    const who = await bot.createSelfSubjectReview({ body: {} })
    expect(who.status?.userInfo?.username).toBe('system:serviceaccount:default:bot')
  })

  it('are refused by a policy once it is stored', async () => {
    const ann = as('a')
    const policies = ann.makeApiClient(AdmissionregistrationV1Api)
    const resourceRules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
    ]
    const validations = [{ expression: 'object.metadata.name != "no"', message: 'not this one' }]
    await policies.createValidatingAdmissionPolicy({
      body: { metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules }, validations } },
    })
    await policies.createValidatingAdmissionPolicyBinding({
      body: { metadata: { name: 'p' }, spec: { policyName: 'p', validationActions: ['Deny'] } },
    })
    const create = (name: string) =>
      ann
        .makeApiClient(CoreV1Api)
        .createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name } } })
    await expect(create('no')).rejects.toMatchObject({
      code: 422,
      body: expect.stringContaining('not this one'),
    })
    expect((await create('yes')).metadata?.name).toBe('yes')
  })
})
