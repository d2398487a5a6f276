/** `lockstep rights`: the rights of a Module of the hub, and which of them its account lacks. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReport } from '../../packages/lockstep/src/cli/kit/check/checkreport.ts'
import { TIER } from '../tier.ts'
import { kubeFetch } from './kubefetch.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (
  line: string,
  input = '',
  variables: Record<string, string> = { KUBECONFIG: fleet.kubeconfig },
) => sit(line.split(' '), { input, variables, cwd: fleet.folder })

const module = (name: string, account = ''): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  ${account}
  targets: {hub: true}
  render: {namespace: ${fleet.namespace}}
  source: {inline: {objects: [
    {apiVersion: v1, kind: ConfigMap, metadata: {name: fine}},
    {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: ${name}}, value: 7}]}}
`

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 0 })
})
afterAll(async () => {
  await fleet.end()
})

describe('lockstep rights', () => {
  // A new right is seen after seconds.
  it.skipIf(TIER === 'short')(
    'shows what the account lacks; with the printed Role it lacks nothing, and the Module is deployed',
    async () => {
      expect(await run('apply -f -', module('ranked'))).toMatchObject({ code: 0 })
      const before = await run('rights ranked')
      expect(before.code).toBe(1)
      expect(before.out).toMatch(
        /\(hub\) +priorityclasses\.scheduling\.k8s\.io +read write +objects +✗ read write/,
      )
      expect(before.out).toMatch(/configmaps +read write +objects +✔/)
      expect(before.out).toContain('✗ The account lacks rights on 1 of 2 resources.')
      const printed = await run('rights ranked -o json')
      expect(printed.code).toBe(1)
      for (const o of JSON.parse(printed.out).items) {
        const { namespace } = o.metadata
        const place = namespace ? `/namespaces/${namespace}` : ''
        const path = `/apis/${o.apiVersion}${place}/${o.kind.toLowerCase()}s`
        const made = await kubeFetch(fleet.kubeconfig, 'hub', path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(o),
        })
        expect(made.status, path).toBe(201)
      }
      const after = await run('rights ranked')
      expect([after.code, after.out.includes('✔ The account holds all rights.')]).toEqual([0, true])
      const isReady = async () => (await run('wait module/ranked --timeout 1s')).code === 0
      await eventually(isReady, 'it is deployed with the new rights')
      expect(await run('delete module ranked')).toMatchObject({ code: 0 })
      expect(await run('wait module/ranked --for delete --timeout 20s')).toMatchObject({ code: 0 })
    },
  )
  it('an account that does not exist is printed, too', async () => {
    writeFileSync(join(fleet.folder, 'web.yaml'), module('web', 'serviceAccountName: absent'))
    const ran = await run('rights -f web.yaml')
    expect(ran.code).toBe(1)
    expect(ran.out).toContain(`✗ ServiceAccount ${fleet.namespace}/absent does not exist.`)
    expect((await run('rights -f web.yaml -o name')).out).toContain('serviceaccount/absent\n')
  })
  it('without a hub, a file has its Role', async () => {
    writeFileSync(join(fleet.folder, 'web.yaml'), module('web'))
    const ran = await run('rights -f web.yaml', '', {})
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out).toContain('Not reviewed: no kubeconfig names a hub.')
  })
  it('names kinds that no API serves', async () => {
    const text = module('odd').replace('scheduling.k8s.io/v1, kind: PriorityClass', 'x.io/v1, kind: Odd')
    writeFileSync(join(fleet.folder, 'odd.yaml'), text)
    const ran = await run('rights -f odd.yaml -o yaml', '', {})
    expect(ran).toMatchObject({
      code: 1,
      err: 'warning: Module odd: rights are unknown: no API serves x.io/v1 Odd\n',
    })
    expect(ran.out).toContain('configmaps')
  })
  it.each(['rights', 'rights web -f web.yaml'])('%s is refused', async (line) => {
    expect(await run(line)).toMatchObject({
      code: 2,
      err: expect.stringContaining('rights requires MODULE, -f or --cluster'),
    })
  })
})

describe('lockstep check tenancy', () => {
  const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/lockstep-orphans'

  // On no cluster: a unit that its account may not remove would keep the Module.
  const READER = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: checked}
spec: {serviceAccountName: ghost, source: {configMaps: [{name: source}]}, targets: {clusters: []}}
`

  it('names policies, managed namespaces, and Modules whose account lacks rights', async () => {
    expect(await run('apply -f -', READER)).toMatchObject({
      code: 0,
    })
    const ran = await run(`check tenancy -n ${fleet.namespace}`)
    expect([ran.code, ran.err]).toEqual([1, ''])
    const lines = ran.out.split('\n')
    expect(lines).toContain('✔ lockstep-act-as: ValidatingAdmissionPolicy')
    expect(lines).toContain(`✔ namespace ${fleet.namespace}: RoleBinding to lockstep-namespace`)
    expect(lines).toContain(
      `✗ Module ${fleet.namespace}/checked: ServiceAccount ${fleet.namespace}/ghost does not exist; run: lockstep rights checked -n ${fleet.namespace}`,
    )
    const names = JSON.parse((await run(`check tenancy -n ${fleet.namespace} -o json`)).out)
    expect(checkReport.schema.parse(names).findings.filter((f) => f.state === 'missing')).toHaveLength(1)
    const printed = await run(`check tenancy -n ${fleet.namespace} -o yaml`)
    expect(printed.out.match(/^kind: .*$/gm)).toEqual(
      ['RoleBinding', 'ServiceAccount', 'Role', 'RoleBinding'].map((kind) => `kind: ${kind}`),
    )
    expect(await run('delete module checked')).toMatchObject({ code: 0 })
  })
  it.each(['check tenancy', 'check'])('%s names a deleted policy, and fails', async (line) => {
    const headers = { 'content-type': 'application/json' }
    const found = await (await kubeFetch(fleet.kubeconfig, 'hub', POLICY)).json()
    await kubeFetch(fleet.kubeconfig, 'hub', POLICY, { method: 'DELETE', headers })
    const ran = await run(line)
    const {
      resourceVersion: _,
      uid: __,
      ...metadata
    } = (found as { metadata: Record<string, unknown> }).metadata
    const body = JSON.stringify({ ...(found as object), metadata })
    const back = await kubeFetch(fleet.kubeconfig, 'hub', POLICY.slice(0, POLICY.lastIndexOf('/')), {
      method: 'POST',
      headers,
      body,
    })
    expect([ran.code, back.status]).toEqual([1, 201])
    expect(ran.out).toMatch(/✗ +lockstep-orphans.*ValidatingAdmissionPolicyBinding does not/)
  })
  it.each([
    ['check tenancy folder', /check tenancy takes no path: folder/],
    ['check tenancy -o sarif', /-o sarif requires check flux or check clustergroup/],
  ])('%s is refused', async (line, err) => {
    expect(await run(line)).toMatchObject({ code: 2, err: expect.stringMatching(err) })
  })
})
