import { describe, expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'
import { canonicalQuantity } from './canonicalquantity.ts'

const NS = '/namespaces/default'
const pod = { containers: [{ name: 'c', image: 'c', resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }] }

describe('defaults that only code knows', () => {
  it('complete workloads and their pods', async () => {
    const { call } = testCluster()
    const template = { metadata: { labels: { a: 'b' } }, spec: pod }
    const made = await call('POST', `/apis/apps/v1${NS}/deployments`, {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    })
    expect(made.body.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    })
    expect(made.body.spec.template.spec).toMatchObject({
      restartPolicy: 'Always',
      containers: [{ imagePullPolicy: 'Always', resources: { limits: { cpu: '500m', memory: '1Gi' } } }],
    })
  })

  it('give a Service an address and ports, and keep them', async () => {
    const { call } = testCluster()
    const path = `/api/v1${NS}/services`
    const made = await call('POST', path, {
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })
    const { clusterIP, ports } = made.body.spec
    expect(clusterIP).toMatch(/^10\./)
    expect(ports[0]).toMatchObject({ targetPort: 80, protocol: 'TCP', nodePort: expect.any(Number) })
    const again = await call('PUT', `${path}/s`, {
      metadata: { name: 's' },
      spec: { type: 'NodePort', ports: [{ port: 80 }] },
    })
    expect(again.body).toEqual(made.body)
    const moved = await call(
      'PATCH',
      `${path}/s`,
      { spec: { clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'] } },
      'application/merge-patch+json',
    )
    expect(moved.body.message).toContain('may not change once set')
  })

  it('make a Secret of its stringData and a Job of its uid', async () => {
    const { call } = testCluster()
    const secret = await call('POST', `/api/v1${NS}/secrets`, {
      metadata: { name: 's' },
      stringData: { a: 'b' },
    })
    expect(secret.body).toMatchObject({ type: 'Opaque', data: { a: 'Yg==' } })
    expect(secret.body.stringData).toBeUndefined()
    const job = await call('POST', `/apis/batch/v1${NS}/jobs`, {
      metadata: { name: 'j' },
      spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } },
    })
    const uid = job.body.metadata.uid
    expect(job.body.spec.selector.matchLabels).toEqual({ 'batch.kubernetes.io/controller-uid': uid })
    expect(job.body.spec.template.metadata.labels['batch.kubernetes.io/job-name']).toBe('j')
  })

  it('refuse a value of a wrong type with 400', async () => {
    const { call } = testCluster()
    const bad = await call('POST', `/api/v1${NS}/configmaps`, { metadata: { name: 'a' }, data: { x: 1 } })
    expect(bad.status).toBe(400)
    expect(bad.body.message).toContain(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal',
    )
  })
})

describe('quantities', () => {
  it.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['100Mi', '100Mi'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['1500k', '1500k'],
    ['1e3', '1e3'],
    ['2000', '2k'],
    ['0', '0'],
    ['0.0000000001', '1n'],
    ['-1', '-1'],
    ['16Ei', '9223372036854775807'],
    ['abc', undefined],
  ])('%s is kept as %s', (given, kept) => {
    expect(canonicalQuantity(given)).toBe(kept)
  })
})
