/** `lockstep diff` shows objects that change hands. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '', columns?: number): Promise<Ran> =>
  sit(line.split(' '), {
    input,
    variables: { KUBECONFIG: fleet.kubeconfig, NO_COLOR: '1' },
    ...(columns === undefined ? {} : { columns }),
  })

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 1, namespace: 'platform' })
})
afterAll(() => fleet.end())

const config = (name: string, value: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: {key: "${value}"}}`
const module = (name: string, ...objects: readonly string[]): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [${objects.join(', ')}]}}
  targets: {clusterSelector: {}}
  rollout: {strategy: Replace}
`

/** Nothing is written to a paused cluster. */
async function pause(isPaused: boolean): Promise<void> {
  const answer = await kubeFetch(fleet.kubeconfig, 'hub', '/api/v1/namespaces/platform/secrets/cluster-1', {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { annotations: { 'lockstep.dev/paused': String(isPaused) } } }),
  })
  expect(answer.status).toBe(200)
}

const published = async (name: string, spec: string): Promise<void> => {
  const generation = async () => JSON.parse((await run(`get module ${name} -o json`)).out)
  expect(await run('apply -f -', spec)).toMatchObject({ code: 0 })
  await eventually(async () => {
    const { metadata, status } = await generation()
    return status?.observedGeneration === metadata.generation && status?.currentRevision !== undefined
  }, `${name} is published`)
}

const moved = async (): Promise<{ uid: string; unit: string | undefined }> => {
  const answer = await kubeFetch(fleet.kubeconfig, 'cluster-1', '/api/v1/namespaces/default/configmaps/moved')
  const { metadata } = (await answer.json()) as { metadata: { uid: string; labels?: Record<string, string> } }
  return { uid: metadata.uid, unit: metadata.labels?.['lockstep.dev/unit'] }
}

const OWNER = '~ owner Module hello → Module hello2 (uid kept)'

it('as a line with both owners, of the giver and of the receiver; the object keeps its uid then', async () => {
  expect(await run('apply -f -', module('hello', config('moved', '1'), config('stays', '1')))).toMatchObject({
    code: 0,
  })
  expect(await run('wait module/hello --timeout 60s -q')).toMatchObject({ code: 0 })
  const before = await moved()
  await published('hello2', module('hello2', config('moved', '2')))
  const both = await run('diff hello2@cluster-1')
  expect(both.out).not.toContain('owner')
  expect(both.err.replace(/\n +/g, ' ')).toContain('belongs to Module platform/hello')

  await pause(true)
  await eventually(
    async () => (await run('get remoteassemblage cluster-1')).out.includes('Paused'),
    'cluster-1 is paused',
  )
  await published('hello', module('hello', config('stays', '1')))
  for (const columns of [60, 120]) {
    const receiver = await run('diff hello2@cluster-1', '', columns)
    expect(receiver.code).toBe(1)
    const lines = receiver.out.split('\n')
    expect(lines.slice(0, 2)).toEqual(['ConfigMap default/moved on cluster-1', OWNER])
    expect(receiver.out).toMatch(/\n- {2}key: "1"\n\+ {2}key: "2"\n/)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  }
  expect((await run('diff hello@cluster-1')).out.split('\n')).toEqual([
    'ConfigMap default/moved on cluster-1',
    OWNER,
    '~ hello on cluster-1: 1 object to change',
    '',
  ])
  const owner = { from: 'Module hello', to: 'Module hello2' }
  const report = JSON.parse((await run('diff hello@cluster-1 -o json')).out)
  expect(report).toMatchObject({ differs: true, units: [{ changes: [{ action: 'change', owner }] }] })

  await pause(false)
  await eventually(async () => (await moved()).unit === 'm.platform.hello2', 'the receiver has it')
  expect(await run('wait module/hello2 --timeout 60s -q')).toMatchObject({ code: 0 })
  expect((await moved()).uid).toBe(before.uid)
}, 120_000)
