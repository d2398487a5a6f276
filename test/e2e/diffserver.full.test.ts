/** `lockstep diff --server`: the text that a status withholds, for a person who may read the Secret. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig }, cwd: fleet.folder })

const CANARY = 'Canary Value'
const object = `{apiVersion: v1, kind: ConfigMap, metadata: {name: q, namespace: default, labels: {a: "${CANARY}"}}}`
const MODULE = `apiVersion: v1
kind: Secret
metadata: {name: manifests}
stringData: {all.yaml: '${object}'}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  source: {secrets: [{name: manifests}]}
  targets: {clusterSelector: {}}
`

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 1 })
})
afterAll(async () => {
  await fleet.end()
})

it('shows the refusal of the server with the value; the status has neither', {
  timeout: 120_000,
}, async () => {
  expect(await run('apply -f -', MODULE)).toMatchObject({ code: 0 })
  let status = ''
  const isRefused = async (): Promise<boolean> => {
    status = (await run('get module web -o yaml')).out
    return status.includes('is withheld')
  }
  await eventually(isRefused, 'the label is refused', () => status)
  const plain = await run('diff web')
  for (const text of [status, plain.out, plain.err]) expect(text).not.toContain(CANARY)
  expect(plain.err).toContain('is withheld')
  const shown = await run('diff web --server')
  expect([shown.code, shown.err]).toEqual([1, expect.stringContaining(CANARY)])
})
