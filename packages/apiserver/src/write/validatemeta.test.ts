import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const MERGE = 'application/merge-patch+json'
const CMS = '/api/v1/namespaces/default/configmaps'
const DS = '/apis/apps/v1/namespaces/default/deployments'
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'c:1' }] } },
  },
  status: { replicas: 7 },
}

describe('spec and status', () => {
  it('have a path each: the main one leaves the status, /status leaves the rest', async () => {
    const { call } = testCluster()
    expect((await call('POST', DS, deployment)).body.status).toEqual({})
    const main = await call('PATCH', `${DS}/d`, { spec: { replicas: 3 }, status: { replicas: 9 } }, MERGE)
    expect(main.body).toMatchObject({ spec: { replicas: 3 }, status: {}, metadata: { generation: 2 } })
    const change = { spec: { replicas: 5 }, metadata: { labels: { a: 'b' } }, status: { replicas: 3 } }
    const status = await call('PATCH', `${DS}/d/status`, change, MERGE)
    expect(status.body).toMatchObject({
      spec: { replicas: 3 },
      status: { replicas: 3 },
      metadata: { generation: 2 },
    })
    expect(status.body.metadata.labels).toBeUndefined()
  })
})

describe('metadata that belongs to the server', () => {
  it('is wiped when an object is created', async () => {
    const { call } = testCluster()
    const given = {
      name: 'a',
      uid: 'x',
      generation: 7,
      deletionTimestamp: '2020-01-01T00:00:00Z',
      selfLink: '/x',
      creationTimestamp: null,
    }
    const made = await call('POST', CMS, { metadata: given })
    expect(made.body.metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: expect.not.stringMatching(/^x$/),
      resourceVersion: expect.any(String),
      creationTimestamp: '2026-01-01T00:00:00Z',
    })
  })

  it('stays as it was in an update, without an error', async () => {
    const { call } = testCluster()
    await call('POST', CMS, { metadata: { name: 'a', finalizers: ['x.io/f'] } })
    await call('DELETE', `${CMS}/a`)
    const patched = await call(
      'PATCH',
      `${CMS}/a`,
      { metadata: { deletionTimestamp: null, creationTimestamp: null, labels: { l: '1' } } },
      MERGE,
    )
    expect(patched.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { l: '1' },
    })
  })
})

describe('finalizers', () => {
  it('hold a deleted object; the patch that takes the last one away answers 200, then it is gone', async () => {
    const { call } = testCluster()
    await call('POST', CMS, { metadata: { name: 'a', finalizers: ['x.io/f'] } })
    expect((await call('DELETE', `${CMS}/a`)).body.metadata.deletionTimestamp).toBeDefined()
    const more = await call('PATCH', `${CMS}/a`, { metadata: { finalizers: ['x.io/f', 'x.io/g'] } }, MERGE)
    expect(more.status).toBe(422)
    const last = await call('PATCH', `${CMS}/a`, { metadata: { finalizers: null } }, MERGE)
    expect(last).toMatchObject({ status: 200, body: { metadata: { name: 'a' } } })
    expect((await call('GET', `${CMS}/a`)).status).toBe(404)
  })
})

describe('managedFields', () => {
  const managers = (o: { metadata: { managedFields?: { manager: string }[] } }) =>
    (o.metadata.managedFields ?? []).map((e) => e.manager)

  it('can be edited by a valid list, and are reset by [{}] and by []', async () => {
    const { call } = testCluster()
    for (const reset of [[{}], []]) {
      await call('DELETE', `${CMS}/a`)
      const made = await call('POST', `${CMS}?fieldManager=me`, { metadata: { name: 'a' }, data: { x: '1' } })
      expect(managers(made.body)).toEqual(['me'])
      const renamed = made.body.metadata.managedFields.map((e: object) => ({ ...e, manager: 'you' }))
      const edited = await call('PATCH', `${CMS}/a`, { metadata: { managedFields: renamed } }, MERGE)
      expect(managers(edited.body)).toEqual(['you'])
      const cleared = await call('PATCH', `${CMS}/a`, { metadata: { managedFields: reset } }, MERGE)
      expect(managers(cleared.body)).toEqual([])
    }
  })
})

describe('what never changes', () => {
  it('are selectors, sealed data and roles of bindings', async () => {
    const { call } = testCluster()
    await call('POST', DS, deployment)
    const selector = {
      spec: { selector: { matchLabels: { app: 'e' } }, template: { metadata: { labels: { app: 'e' } } } },
    }
    const refused = await call('PATCH', `${DS}/d`, selector, MERGE)
    expect(refused).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('field is immutable') },
    })
    await call('POST', CMS, { metadata: { name: 'a' }, data: { x: '1' }, immutable: true })
    expect((await call('PATCH', `${CMS}/a`, { data: { x: '2' } }, MERGE)).body.message).toBe(
      'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    )
    const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
    await call('POST', bindings, {
      metadata: { name: 'b' },
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects: [],
    })
    expect((await call('PATCH', `${bindings}/b`, { roleRef: { name: 's' } }, MERGE)).body.message).toContain(
      'cannot change roleRef',
    )
  })

  it('is most of a StatefulSet', async () => {
    const { call } = testCluster()
    const path = '/apis/apps/v1/namespaces/default/statefulsets'
    const { status: _, ...rest } = deployment
    await call('POST', path, { ...rest, kind: 'StatefulSet', spec: { ...rest.spec, serviceName: 's' } })
    const refused = await call('PATCH', `${path}/d`, { spec: { serviceName: 't' } }, MERGE)
    expect(refused.body.message).toBe(
      `StatefulSet.apps "d" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    )
  })
})
