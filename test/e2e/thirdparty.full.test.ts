/** Somebody else keeps an assemblage: as its controller and people see it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { eventually, lockstep, type Ran } from './lockstep.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (args: string, input = ''): Promise<Ran> =>
  lockstep(args.split(' '), { env: { KUBECONFIG: fleet.kubeconfig }, input })

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
})
afterAll(async () => {
  await fleet.end()
})

const moduleOf = (name: string, more: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source:
    inline:
      objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: {a: b}}]
  ${more}
`

const assemblageOf = (revision: string, bundle: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: RemoteAssemblage
metadata: {name: argo.cluster-1, labels: {lockstep.dev/managed-by: argo}}
spec:
  clusterRef: {kind: Secret, name: cluster-1}
  syncs: [{kind: AppGroup, name: web, revision: "${revision}", bundle: "${bundle}"}]
`

/** Lines without their alignment. */
const flat = (text: string): string[] => text.split('\n').map((l) => l.trim().replace(/ {2,}/g, ' | '))

it('a module publishes for others; their record waits for what it needs, is delivered, and is seen beside modules', async () => {
  const needs = 'dependsOn: [{id: base, module: {kind: Module, name: base}}]'
  const web = moduleOf('web', `rollout: {strategy: External}\n  ${needs}`)
  expect(await run('apply -f -', web)).toMatchObject({ code: 0 })
  const status = async () => parse((await run('get module web -o yaml')).out).status ?? {}
  await eventually(async () => (await status()).bundle !== undefined, 'web is published')
  const { currentRevision, bundle } = await status()
  expect(await run('apply -f -', assemblageOf(currentRevision, bundle))).toMatchObject({ code: 0 })
  const why = async () => (await run('why AppGroup/web@cluster-1')).out
  await eventually(async () => (await why()).includes('DependencyMissing'), 'it waits for base')
  expect((await run('why AppGroup/web@cluster-1')).code).toBe(1)
  const table = async () => flat((await run('status cluster/cluster-1')).out)
  expect(await table()).toEqual(
    expect.arrayContaining([
      'External',
      expect.stringContaining(
        `⏸ | AppGroup/web | argo | waiting for Module ${fleet.namespace}/base: not found`,
      ),
    ]),
  )
  expect(await run('apply -f -', moduleOf('base', 'targets: {clusterSelector: {}}'))).toMatchObject({
    code: 0,
  })
  const listed = async () => flat((await run('get remoteassemblages')).out)
  await eventually(
    async () => (await listed()).some((l) => l.startsWith('argo.cluster-1 | Connected | 1/1 | argo | ')),
    'it is delivered',
    fleet.output,
  )
  expect(await table()).toContain('✔ | AppGroup/web | argo | 1/1 objects')
  expect(await run('why AppGroup/web@cluster-1')).toMatchObject({ code: 0 })
  const report = JSON.parse((await run('status cluster/cluster-1 -o json')).out)
  expect(report.others).toEqual([
    {
      record: 'AppGroup/web',
      assemblage: 'argo.cluster-1',
      managedBy: 'argo',
      state: 'Ready',
      objects: '1/1',
      blockers: [],
    },
  ])
  // Clusters keep their names, and their modules.
  expect((await run('get clusters')).out).not.toContain('argo')
  expect(await run('wait module/base -q')).toMatchObject({ code: 0 })
  expect(await run('delete remoteassemblage argo.cluster-1')).toMatchObject({ code: 0 })
  expect(await run('wait remoteassemblage/argo.cluster-1 --for delete -q')).toMatchObject({ code: 0 })
  expect((await run('why AppGroup/web@cluster-1')).code).toBe(2)
}, 120_000)
