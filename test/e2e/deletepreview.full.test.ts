/** `lockstep delete --dry-run=server` says what the deletion does then. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '', columns?: number): Promise<Ran> =>
  sit(line.split(' '), {
    input,
    variables: { KUBECONFIG: fleet.kubeconfig },
    ...(columns === undefined ? {} : { columns }),
  })

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2, namespace: 'platform' })
})
afterAll(() => fleet.end())

const namespace = (name: string): string => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`
const config = (space: string, name: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${space}}}`

const module = (name: string, objects: readonly string[], apply = ''): string => `---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [${objects.join(', ')}]}}
  targets: {clusters: [cluster-1, cluster-2]}
  rollout: {strategy: Replace}
${apply}`

const SPACE = namespace('foreseen')
const SHARED = [SPACE, config('foreseen', 'a')]
const OWN = [...[1, 2, 3, 4, 5, 6].map((n) => config('foreseen', `own-${n}`)), config('mine', 'b')]

const create = async (cluster: string, path: string, body: object): Promise<void> => {
  const answer = await kubeFetch(fleet.kubeconfig, cluster, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
}
const there = async (cluster: string, path: string): Promise<{ uid: string; unit?: string } | undefined> => {
  const answer = await kubeFetch(fleet.kubeconfig, cluster, path)
  if (answer.status === 404) return undefined
  const { metadata } = (await answer.json()) as { metadata: { uid: string; labels?: Record<string, string> } }
  const unit = metadata.labels?.['lockstep.dev/unit']
  return { uid: metadata.uid, ...(unit === undefined ? {} : { unit }) }
}

const CONFIRM = 'to confirm: lockstep rollout approve hello --stage prune'
const EXPECTED = [
  'module.lockstep.dev/hello would be deleted (server dry run)',
  'handed over to Module hello2: 4 objects on 2 clusters: ConfigMap foreseen/a, Namespace foreseen',
  'deleted: 15 objects on 2 clusters: ConfigMap foreseen/own-1, ConfigMap foreseen/own-2, ConfigMap foreseen/own-3, ConfigMap foreseen/own-4, ConfigMap foreseen/own-5 and 3 more',
  'existed before, kept until confirmed: 1 object on 1 cluster: Namespace old',
  'needs confirmation: 2 objects on 2 clusters: Namespace mine (contains ConfigMap precious, not delivered by Lockstep)',
  CONFIRM,
]

it('names handed over, deleted and kept objects; then exactly that happens', async () => {
  await create('cluster-1', '/api/v1/namespaces', { metadata: { name: 'old' } })
  const hello = module('hello', [...SHARED, ...OWN, namespace('mine'), namespace('old')])
  expect(await run('apply -f -', hello)).toMatchObject({ code: 0 })
  expect(await run('wait module/hello --timeout 60s -q')).toMatchObject({ code: 0 })
  expect(await run('apply -f -', module('hello2', SHARED))).toMatchObject({ code: 0 })
  const published = async () =>
    JSON.parse((await run('get module hello2 -o json')).out).status?.currentRevision !== undefined
  await eventually(published, 'the receiver is published')
  for (const cluster of ['cluster-1', 'cluster-2'])
    await create(cluster, '/api/v1/namespaces/mine/configmaps', { metadata: { name: 'precious' } })
  const uids = () =>
    Promise.all(
      ['namespaces/foreseen', 'namespaces/foreseen/configmaps/a'].map((p) =>
        there('cluster-1', `/api/v1/${p}`),
      ),
    )
  const before = await uids()

  const dry = await run('delete module hello --dry-run=server')
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out.trimEnd().split('\n')).toEqual(EXPECTED)
  for (const columns of [60, 120]) {
    const { out } = await run('delete module hello --dry-run=server', '', columns)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    expect(out.replace(/\n +/g, ' ').trimEnd().split('\n')).toEqual(EXPECTED)
  }
  expect((await run('delete module hello --dry-run=server -o name')).out).toBe('module.lockstep.dev/hello\n')
  const both = await run('delete --dry-run=server -f -', `${hello}${module('hello2', SHARED)}`)
  expect(both.out).toContain('deleted: 19 objects on 2 clusters: ConfigMap foreseen/a, ')
  expect(both.out).not.toContain('handed over')

  expect(await run('delete module hello')).toMatchObject({ code: 0 })
  const gone = async (name: string) =>
    (await there('cluster-1', `/api/v1/namespaces/foreseen/configmaps/${name}`)) === undefined
  await eventually(async () => (await gone('own-1')) && (await gone('own-6')), 'own objects are deleted')
  const asks = async () => {
    const { out } = await run('get module hello -o json')
    return JSON.stringify(JSON.parse(out).status?.blockers ?? []).includes('PruneConfirmation')
  }
  await eventually(asks, 'a person is asked')
  const after = await uids()
  expect(after.map((o) => o?.uid)).toEqual(before.map((o) => o?.uid))
  expect(after.map((o) => o?.unit)).toEqual(['m.platform.hello2', 'm.platform.hello2'])
  expect(await there('cluster-1', '/api/v1/namespaces/old')).toBeDefined()
  expect(await there('cluster-2', '/api/v1/namespaces/old')).toBeUndefined()
  expect(await there('cluster-2', '/api/v1/namespaces/mine/configmaps/precious')).toBeDefined()
  expect(await run('rollout approve hello --stage prune')).toMatchObject({ code: 0 })
  expect(await run('wait module/hello --for delete --timeout 60s -q')).toMatchObject({ code: 0 })
  expect(await there('cluster-1', '/api/v1/namespaces/old')).toBeUndefined()
}, 180_000)
