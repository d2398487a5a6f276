/** A cluster whose Secret was deleted: all commands say so, and none blames a Module. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (args: string, input = '') =>
  sit(args.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig } })

const MODULE = JSON.stringify({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'web' },
  spec: {
    source: {
      inline: {
        objects: ['x', 'y'].map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `gone-${name}`, namespace: 'default' },
        })),
      },
    },
    targets: { clusterSelector: {} },
    rollout: { strategy: 'Replace' },
  },
})

const secretPath = (name = ''): string => `/api/v1/namespaces/${fleet.namespace}/secrets${name}`
let secret: { readonly metadata: { readonly labels: object }; readonly data: object }

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
  expect(await run('apply -f -', MODULE)).toMatchObject({ code: 0 })
  expect(await run('wait module/web -q')).toMatchObject({ code: 0 })
  const path = secretPath('/cluster-2')
  secret = (await (await kubeFetch(fleet.kubeconfig, 'hub', path, {})).json()) as typeof secret
  expect((await kubeFetch(fleet.kubeconfig, 'hub', path, { method: 'DELETE' })).ok).toBe(true)
  const isSeen = async () => (await run('why web@cluster-2')).out.includes(' at 20')
  await eventually(isSeen, 'that the Secret is deleted is seen')
})
afterAll(async () => {
  await fleet.end()
})

const MESSAGE =
  /cluster-2 was removed from the cluster inventory at \S+Z \(Secret \S+\/cluster-2 deleted\); 2 objects remain there/

it('why names the cluster, and not the Module', async () => {
  const why = await run('why web@cluster-2')
  expect(why.code).toBe(1)
  expect(why.out.replace(/\s+/g, ' ')).toMatch(MESSAGE)
  expect(why.out.replace(/\s+/g, ' ')).toMatch(/recreate Secret \S+\/cluster-2, or delete its Inventories/)
  expect(why.out).not.toMatch(/passes by itself|no action needed|Pending/)
  expect(await run('why web')).toMatchObject({ code: 0 })
  expect(await run('wait module/web -q')).toMatchObject({ code: 0 })
})

it('status has its column, and counts it not', async () => {
  const status = await run('status')
  expect(status.code).toBe(0)
  expect(status.out).toMatch(/cluster-1 +cluster-2 \(gone\)/)
  expect(status.out).toContain('1 of 1 unit ready')
})

it('status of the cluster answers', async () => {
  const status = await run('status cluster/cluster-2')
  expect(status.code).toBe(1)
  expect(status.out.replace(/\s+/g, ' ')).toMatch(MESSAGE)
  expect(status.out).toMatch(/cluster-2 \(gone\)/)
  const facts = JSON.parse((await run('status cluster/cluster-2 -o json')).out)
  expect(facts).toMatchObject({ cluster: 'cluster-2', state: 'Absent', units: [{ module: 'web' }] })
})

it('the Secret recreated: all is as before', async () => {
  const { data, metadata } = secret
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cluster-2', labels: metadata.labels },
    data,
  }
  const made = await kubeFetch(fleet.kubeconfig, 'hub', secretPath(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(made.status).toBe(201)
  const isBack = async () => (await run('status')).out.includes('2 of 2 units ready')
  await eventually(isBack, 'that the cluster is back')
  expect(await run('why web@cluster-2')).toMatchObject({ code: 0 })
})
