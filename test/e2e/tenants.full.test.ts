/** `lockstep up --tenants`: contexts with the role edit in one namespace. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sit } from './person.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  targets: {hub: true}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: team-a}}]}}
`
const ending = new AbortController()
let folder: string
let served: Promise<{ code: number; out: string }>
const run = (line: string) =>
  sit(line.split(' '), { cwd: folder, input: MODULE, variables: { KUBECONFIG: join(folder, 'up.yaml') } })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-tenants-'))
  await new Promise<void>((resolve) => {
    const line = 'up --clusters 1 --tenants team-a,team-b --kubeconfig-out up.yaml'
    const heard = (out: string) => out.includes('Every cluster has the') && resolve()
    served = sit(line.split(' '), { cwd: folder, signal: ending.signal, heard })
  })
}, 60_000)
afterAll(async () => {
  ending.abort()
  await served
  rmSync(folder, { recursive: true })
})

it('a tenant deploys to its namespace', async () => {
  expect(await run('apply -f - --context team-a')).toMatchObject({ code: 0 })
  expect(await run('wait module/web --context team-a --timeout 30s')).toMatchObject({ code: 0 })
})

it('and not to that of another tenant, or of the platform', async () => {
  for (const namespace of ['team-a', 'platform'])
    expect(await run(`apply -f - --context team-b -n ${namespace}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('User "team-b" cannot'),
    })
})

it.each([
  ['hub', 'hub is a namespace or context of the fleet'],
  ['cluster-3', 'cluster-3 is a namespace or context of the fleet'],
  ['kube-system', 'kube-system is a namespace or context of the fleet'],
  ['A_', '"A_" is not the name of a namespace'],
])('--tenants %s is refused', async (names, problem) => {
  expect(await run(`up --tenants ${names}`)).toMatchObject({ code: 2, err: expect.stringContaining(problem) })
})
