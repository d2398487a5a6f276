/** `lockstep plan` of the fleet, as a process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockstep, type Ran } from './lockstep.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

const UNMADE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: unmade}
spec:
  release: "1"
  source: {configMaps: [{name: nowhere}]}
  targets: {clusterSelector: {}}
`

const module = (name: string, spec: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}}]}}
${spec}`

const staged = (canary: string): string =>
  module(
    'steps',
    `  targets: {clusters: [cluster-1, cluster-2]}
  rollout:
    strategy: Staged
    stages:
    - name: canary
      clusters: [cluster-1]
${canary.replace(/^/gm, '  ').trimEnd()}
    - {name: rest, clusterSelector: {}}
`,
  )

const joining = (targets: string): string => module('joined', `  targets: {${targets}}\n`)

let fleet: NamespacedFleet
const run = (args: string, input = ''): Promise<Ran> =>
  lockstep(args.split(' '), { env: { KUBECONFIG: fleet.kubeconfig }, input })
const json = async (args: string): Promise<unknown> => JSON.parse((await run(`${args} -o json`)).out)

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2, namespace: 'platform' })
  expect((await run('apply -f examples/platform/v1')).code).toBe(0)
  expect((await run('wait module/monitoring --for ready --timeout 60s')).code).toBe(0)
})
afterAll(() => fleet.end())

describe('a plan of the fleet', () => {
  it('says where a release would go, what would wait for what, and in which steps; nothing is written', async () => {
    const before = await json('get modules')
    const { code, out, err } = await run('plan -f examples/platform/v2 --order --expand')
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Release 2026\.11: 4 modules × \d+ clusters: \d+ units move\n/)
    expect(out).toMatch(/\n4 +monitoring .*certs @ 2026\.11/)
    expect(out).toMatch(/\n~ ingress: apps\/Deployment ingress\/gateway\n/)
    expect(out).toMatch(
      /\nSTEP +AFTER +MODULE +ACTION +STAGE +N +CLUSTERS\n1 +0s +cluster-base +Update +1 +cluster-/,
    )
    expect(out).toContain('To apply: lockstep apply -f examples/platform/v2')
    expect(await run('plan -f examples/platform/v2 --order --expand')).toEqual({ code, out, err })
    expect(await json('get modules')).toEqual(before)
  })
  it('DisruptionBudgets, Holds and Approvals of the files count, also where there is no module beside them', async () => {
    const careful = 'examples/rollouts/careful.yaml'
    const { code, out } = await run(`plan -f ${careful}`)
    expect(code).toBe(0)
    expect(out).toContain('\nDisruptionBudget production: at most 1 of ')
    const hold =
      '{"apiVersion":"lockstep.dev/v1alpha1","kind":"Hold","metadata":{"name":"stop"},"spec":{"targetRef":{"kind":"Module","name":"gateway"},"reason":"holidays"}}'
    const held = await run(`plan -f ${careful} -f -`, hold)
    expect(held.code).toBe(1)
    expect(held.out).toMatch(/gateway.*Held: suspended by Hold stop/)
    expect((await run('plan -f -', hold)).code).toBe(0)
  })
  it('what is there already moves nowhere', async () => {
    const ran = await run('plan -f examples/platform/v1 -o name')
    expect(ran).toEqual({ code: 0, out: '', err: '' })
  })
  it('what cannot be made hurts no other: it says why, and 1', async () => {
    const { code, out } = await run('plan -f - -f examples/platform/v2', UNMADE)
    expect(code).toBe(1)
    expect(out).toMatch(/✗ unmade: \w+: cannot be published: .*nowhere/)
    expect(out).toMatch(/\n4 +monitoring /)
  })
  it('a stage that can never be over: who would start until then, why the rest does not, and 1', async () => {
    const { code, out } = await run('plan -f -', staged('    gateExpr: stage.done > 5\n'))
    expect(code).toBe(1)
    expect(out).toMatch(/\n {2}steps: canary 1 → rest 1\n {4}canary: cluster-1\n/)
    expect(out).toContain('\n! steps: stage canary ends when stage.done > 5\n')
    expect(out).toMatch(/\n✗ steps: StageGate: stage canary: gateExpr is false: stage\.done > 5\n/)
    expect(out).toContain('\n✗ Some Modules cannot start; see above.\n')
    const open = await run('plan -f -', staged(''))
    expect([open.code, open.out]).toEqual([0, expect.stringContaining('\n    rest: cluster-2\n')])
  })
  it('who joins what is there', async () => {
    expect((await run('apply -f -', joining('clusters: [cluster-1]'))).code).toBe(0)
    expect((await run('wait module/joined --for ready --timeout 60s')).code).toBe(0)
    const { code, out } = await run('plan -f -', joining('clusterSelector: {}'))
    expect([code, out]).toEqual([0, expect.stringContaining('\n! joined: joins cluster-2\n')])
  })
})
