import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kubeFetch } from './kubefetch.ts'
import { eventually, lockstep, type Ran, type ServedFleet, startFleet } from './lockstep.ts'

let fleet: ServedFleet
const run = (args: string, input = ''): Promise<Ran> =>
  lockstep(args.split(' '), { env: { KUBECONFIG: fleet.kubeconfig }, input })

/** Nothing is written to a paused cluster, so that a deletion waits for it. */
async function pause(cluster: string, isPaused: boolean): Promise<void> {
  const answer = await kubeFetch(fleet.kubeconfig, 'hub', `/api/v1/namespaces/platform/secrets/${cluster}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata: { annotations: { 'lockstep.dev/paused': String(isPaused) } } }),
  })
  expect(answer.status).toBe(200)
}

beforeAll(async () => {
  fleet = await startFleet(2)
})
afterAll(async () => {
  await fleet.stop()
})

const moduleOf = (name: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source:
    inline:
      objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: {a: b}}]
  targets: {clusterSelector: {}}
  rollout: {strategy: Replace}
`

async function stuck(name: string): Promise<void> {
  await pause('cluster-2', false)
  expect(await run('apply -f -', moduleOf(name))).toMatchObject({ code: 0 })
  expect(await run(`wait module/${name} -q`)).toMatchObject({ code: 0 })
  await pause('cluster-2', true)
  const isSeen = async () => (await run('get remoteassemblage cluster-2')).out.includes('Paused')
  await eventually(isSeen, 'that it is paused is seen')
}

const expectOrphaned = async (name: string): Promise<void> => {
  expect(await run(`wait module/${name} --for delete -q`)).toMatchObject({ code: 0 })
  await pause('cluster-2', false)
  const row = async () => (await run('get inventories')).out.split('\n').find((l) => l.includes(`m.${name}.`))
  await eventually(async () => (await row())?.includes('Orphaned') === true, 'it is listed as orphaned')
  expect(await row()).toMatch(new RegExp(`^m\\.${name}\\.cluster-2 +cluster-2 +Orphaned`))
}

it('a deletion that waits says the command, and the command ends it; what is there is listed', async () => {
  await stuck('web')
  expect(await run('delete module web')).toMatchObject({ code: 0 })
  const says = async () => (await run('status web -o json')).out
  await eventually(async () => (await says()).includes('DeletionBlocked'), 'the deletion waits')
  const command = /lockstep (delete module web --orphan [\w,-]+)/.exec(await says())?.[1]
  expect(command).toBe('delete module web --orphan cluster-2')
  const done = await run(command!)
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out.replace(/\s+/g, ' ')).toContain(
    'module.lockstep.dev/web is being deleted; objects on cluster-2 are orphaned (lockstep status web) ',
  )
  await expectOrphaned('web')
}, 120_000)

it('also in one go; what is unknown, or can be reached, is refused before anything is changed', async () => {
  await stuck('app')
  const refusals: readonly (readonly [string, number, RegExp])[] = [
    [
      'delete module app --orphan cluster-9',
      1,
      /it has no objects on cluster cluster-9[\s\S]*Nothing was changed/,
    ],
    ['delete module app --orphan cluster-2,cluster-1', 1, /cluster-1 is reachable[\s\S]*deletionPolicy/],
    ['delete module nope --orphan cluster-2', 2, /no Module "nope"/],
    ['delete hold app --orphan cluster-2', 2, /--orphan requires a Module/],
    ['delete module app --orphan ,', 2, /--orphan names no cluster/],
    ['delete -f x.yaml --orphan cluster-2', 2, /--orphan requires one Module/],
  ]
  for (const [args, code, text] of refusals) {
    const { err, ...ran } = await run(args)
    expect([args, ran.code]).toEqual([args, code])
    expect(err.replace(/\n +/g, ' ')).toMatch(text)
  }
  expect((await run('delete module app --orphan cluster-2 --dry-run server')).out).toMatch(/would be deleted/)
  const metadata = parse((await run('get module app -o yaml')).out).metadata
  expect([metadata.deletionTimestamp, metadata.annotations]).toEqual([undefined, undefined])
  expect(await run('delete module app --orphan cluster-2')).toMatchObject({ code: 0, err: '' })
  await expectOrphaned('app')
}, 120_000)
