/** `lockstep removal`: a held removal continues, or orphans the objects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, type ServedFleet, startFleet } from './lockstep.ts'
import { sit } from './person.ts'

const CLUSTERS = Array.from({ length: 5 }, (_, i) => `cluster-${i + 1}`)

let fleet: ServedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig } })
const status = async (name: string) => JSON.parse((await run(`get module ${name} -o json`)).out).status ?? {}

const module = (name: string, targets: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}}]}}
  targets: ${targets}
`
const EVERYWHERE = '{clusterSelector: {}}'
const NOWHERE = '{clusterSelector: {matchLabels: {no: "such"}}}'

async function heldBack(name: string): Promise<void> {
  expect(await run('apply -f -', module(name, EVERYWHERE))).toMatchObject({ code: 0, err: '' })
  expect(await run(`wait module/${name} --for ready --timeout 60s`)).toMatchObject({ code: 0 })
  expect(await run('apply -f -', module(name, NOWHERE))).toMatchObject({ code: 0, err: '' })
  const reasons = async () => ((await status(name)).blockers ?? []).map((b: { reason: string }) => b.reason)
  await eventually(async () => (await reasons()).includes('RemovalTooLarge'), `${name} is held back`)
}

const inventories = async (name: string): Promise<string[]> =>
  JSON.parse((await run('get inventories -o json')).out)
    .items.filter(
      (i: { spec: { moduleRef: { name: string }; released?: unknown } }) => i.spec.moduleRef.name === name,
    )
    .map((i: { metadata: { name: string } }) => i.metadata.name)

beforeAll(async () => {
  fleet = await startFleet(CLUSTERS.length)
})
afterAll(async () => {
  await fleet.stop()
})

// Each command is a process of its own.
describe('removal', { timeout: 120_000 }, () => {
  it('allow: the Module is removed from its clusters', async () => {
    await heldBack('web')
    expect(await run('removal allow --all')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^module\.lockstep\.dev\/web: removal allowed; .*\n$/),
    })
    await eventually(async () => (await inventories('web')).length === 0, 'it is gone')
  })

  it('orphan: the objects stay', async () => {
    await heldBack('shop')
    expect(await run('removal orphan shop')).toMatchObject({
      code: 0,
      out: expect.stringContaining('spec.apply.deletionPolicy is Orphan'),
    })
    await eventually(async () => (await inventories('shop')).length === 0, 'no Inventory lists them')
    const path = '/api/v1/namespaces/default/configmaps/shop'
    const left = await Promise.all(
      CLUSTERS.map(async (c) => (await kubeFetch(fleet.kubeconfig, c, path)).status),
    )
    expect(left).toEqual(CLUSTERS.map(() => 200))
  })

  it('allow: Modules that are most of the hub are deleted', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `m${i}`)
    expect(await run('apply -f -', names.map((m) => module(m, EVERYWHERE)).join('---\n'))).toMatchObject({
      code: 0,
    })
    for (const m of names)
      expect(await run(`wait module/${m} --for ready --timeout 60s`)).toMatchObject({ code: 0 })
    for (const m of names) expect(await run(`delete module ${m}`)).toMatchObject({ code: 0 })
    const held = async () => JSON.parse((await run('get modules -o json')).out).items
    await eventually(
      async () => JSON.stringify(await held()).includes('RemovalTooLarge'),
      'the last are held back',
    )
    const [, command] = /(removal allow -n platform --all)/.exec(JSON.stringify(await held())) ?? []
    expect(await run(command!)).toMatchObject({ code: 0 })
    await eventually(async () => (await held()).length === 2, 'they are gone')
  })

  it('refuses wrong arguments, and Modules without a held removal', async () => {
    const cases: [string, number, string][] = [
      ['removal', 2, "missing required argument 'action'"],
      ['removal alow web', 2, 'did you mean allow?'],
      ['removal allow', 2, 'name the Modules, or use --all'],
      ['removal allow web --all', 2, '--all and names exclude each other'],
      ['removal allow nothing', 2, 'nothing'],
      ['removal allow web', 1, 'no removal of its units waits'],
    ]
    for (const [line, code, text] of cases) {
      const said = await run(line)
      expect([line, said.code, said.err]).toEqual([line, code, expect.stringContaining(text)])
    }
    expect(await run('removal allow --all')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No Module'),
    })
  })
})
