/** The time that a request notes, by a clock. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServedFleet, startFleet } from './lockstep.ts'
import { sit } from './person.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: done}
spec:
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}]}}
  targets: {clusterSelector: {}}
`

let fleet: ServedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig } })

beforeAll(async () => {
  fleet = await startFleet(1)
})
afterAll(() => fleet.stop())

it('reconcile notes a time within a minute of the clock', async () => {
  expect((await run('apply -f -', MODULE)).code).toBe(0)
  const { out } = await run('reconcile module/done -o json')
  const noted = JSON.parse(out).metadata.annotations['lockstep.dev/reconcile']
  expect(Math.abs(Date.parse(noted) - Date.now())).toBeLessThan(60_000)
})
