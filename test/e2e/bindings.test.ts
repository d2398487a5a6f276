/** Values of clusters, as people ask for them. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

const bindings = `
    - {name: region, cluster: {annotation: example.com/region}, default: nowhere}
    - {name: token, secretKeyRef: {name: token, key: t}}
    - {name: place, value: "$(region)/$(CLUSTER_NAME)"}`
const MODULE = `apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {t: hunter2-of-all}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  source:
    inline:
      objects:
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}, data: {p: $(place), t: t=$(token)}}
  targets: {clusters: [cluster-1]}
  bindings:${bindings}
`

let fleet: NamespacedFleet
const run = (args: string, input?: string): Promise<Ran> =>
  sit(args.split(' '), {
    variables: { KUBECONFIG: fleet.kubeconfig },
    ...(input === undefined ? {} : { input }),
  })
const says = (args: string, text: string) => async (): Promise<boolean> =>
  (await run(args)).out.includes(text)

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
  expect(await run('apply -f -', MODULE)).toMatchObject({ code: 0 })
  await eventually(says('get modules web', '1/1'), 'the module is on its cluster')
})
afterAll(async () => {
  await fleet.end()
})

it('render shows what a cluster gets, without what comes of Secrets', async () => {
  expect((await run('render module/web')).out).toContain('p: $(place)')
  const bound = await run('render module/web --cluster cluster-1')
  expect([bound.code, bound.out]).toEqual([0, expect.stringContaining('p: nowhere/cluster-1')])
  expect(bound.out).toContain('t: t=***')
  const other = await run('render -f - --cluster cluster-2', MODULE)
  expect(other.out).toContain('p: nowhere/cluster-2')
  expect(`${bound.out}${other.out}`).not.toContain('hunter2')
  expect(await run('render module/web --cluster cluster-9')).toMatchObject({ code: 2 })
})

it('plan and diff compare it with what is there', async () => {
  expect(await run('diff web')).toMatchObject({ code: 0 })
  const changed = MODULE.replace('default: nowhere', 'default: here').replace('t=$(token)', 'u=$(token)')
  const planned = await run('plan -f - --cluster cluster-1', changed)
  expect(planned.out).toMatch(/-\s+p: nowhere\/cluster-1\n[\s\S]*\+\s+p: here\/cluster-1\n/)
  expect(planned.out).toContain('u=***')
  expect(planned.out).not.toContain('hunter2')
})

it('a value that is nowhere is said, with what to do', async () => {
  const gone = MODULE.replace(', default: nowhere', '')
  expect(await run('apply -f -', gone)).toMatchObject({ code: 0 })
  const text = 'region: cluster cluster-1 has no annotation example.com/region; set it or give a default'
  await eventually(says('why web@cluster-1', 'BindingUnresolved'), 'why says it')
  const { out, err } = await run('render module/web --cluster cluster-1')
  expect(`${out}${err}`.replace(/\s+/g, ' ')).toContain(`BindingUnresolved: ${text}`)
})
