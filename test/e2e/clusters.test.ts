/** Who the clusters are, as people ask for it and say it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { argoSecret } from '../integration/inventorykinds.ts'
import { eventually, type Ran, type ServedFleet, startFleet } from './lockstep.ts'
import { sit } from './person.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  source:
    inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}, data: {v: "1"}}]}
  targets: {clusters: [cluster-1]}
`

let fleet: ServedFleet
const run = (args: string, o: { answer?: string; input?: string } = {}): Promise<Ran> =>
  sit(`${args} -n platform`.split(' '), {
    variables: { KUBECONFIG: fleet.kubeconfig },
    ...(o.input === undefined ? {} : { input: o.input }),
    ...(o.answer === undefined ? {} : { answer: o.answer, columns: 120 }),
  })
const says = (args: string, text: string | RegExp) => async (): Promise<boolean> => {
  const { out, err } = await run(args)
  return typeof text === 'string' ? `${out}${err}`.includes(text) : text.test(`${out}${err}`)
}

/** From now on the Secret of one cluster leads to another server. */
async function lead(cluster: string, to: string): Promise<void> {
  const config = parse(readFileSync(fleet.kubeconfig, 'utf8'))
  const kubeconfig = JSON.stringify({ ...config, 'current-context': to })
  const labels = { 'lockstep.dev/cluster': 'true' }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: cluster, labels },
    data: { kubeconfig: btoa(kubeconfig) },
  }
  const args = 'apply -f - --force-conflicts'
  expect(await run(args, { input: JSON.stringify(secret) })).toMatchObject({ code: 0 })
}

beforeAll(async () => {
  fleet = await startFleet(2)
  expect(await run('apply -f -', { input: MODULE })).toMatchObject({ code: 0 })
  await eventually(says('get modules web', '1/1'), 'the module is on its cluster')
})
afterAll(async () => {
  await fleet.stop()
})

describe('cluster accept', { sequential: true }, () => {
  it('has nothing to do where the cluster is who it was', async () => {
    const { code, out } = await run('cluster accept cluster-1 --yes')
    expect([code, out]).toEqual([0, expect.stringContaining('already accepted')])
  })

  it.each([
    ['cluster acept cluster-1', 2, 'did you mean accept?'],
    ['cluster accept cluster-7', 2, 'did you mean cluster-1?'],
  ])('%s', async (line, code, text) => {
    const ran = await run(line)
    expect([ran.code, ran.err.includes(text)]).toEqual([code, true])
  })

  it('another cluster behind the name: said with both uids, and accepted only by who says so', async () => {
    await lead('cluster-1', 'cluster-2')
    await eventually(says('status cluster/cluster-1', 'IdentityChanged'), 'it is said')
    const nobody = await run('cluster accept cluster-1')
    expect([nobody.code, nobody.err.includes('to accept the cluster, add --yes')]).toEqual([2, true])
    const no = await run('cluster accept cluster-1', { answer: 'no' })
    expect([no.code, no.err]).toEqual([1, expect.stringContaining('Nothing was changed.')])
    const uids = /kube-system ([0-9a-f-]{36}); it was ([0-9a-f-]{36})/.exec(no.err)
    expect(uids?.[1]).not.toBe(uids?.[2])
    expect((await run('get inventories')).out).toContain('m.web.cluster-1 ')
    const yes = await run('cluster accept cluster-1', { answer: 'yes' })
    expect([yes.code, yes.out]).toEqual([0, expect.stringContaining(`accepted kube-system ${uids?.[1]}`)])
    const orphan = `m.web.cluster-1.${uids![2]!.slice(0, 8)}`
    await eventually(
      says('get inventories -o wide', new RegExp(`${orphan} .*\\d{4}-\\d\\d-\\d\\dT`)),
      'the old one is an orphan',
    )
    await eventually(says('get modules web', '1/1'), 'everything is delivered anew')
  }, 180_000)
})

describe('get clusters', () => {
  it('also shows those of other inventories, with what knows them and why they cannot be used', async () => {
    const config = { bearerToken: 'open-sesame', tlsClientConfig: { insecure: true } }
    const secret = argoSecret('argo', 'platform', 'https://argo.test', config)
    expect(await run('apply -f -', { input: JSON.stringify(secret) })).toMatchObject({ code: 0 })
    const { out } = await run('get clusters -o wide')
    expect(out).toMatch(/NAME +STATE +UNITS READY +LABELS +INVENTORY/)
    expect(out).toMatch(/argo +Refused .* ArgoCD +Secret platform\/argo: config.tlsClientConfig.insecure/)
    expect(out).toMatch(/cluster-2 .* Secret /)
    expect(out).not.toContain('open-sesame')
  })
})

describe('controller --credential-provider', () => {
  it.each([
    ['a file that is not there', undefined, 'does not exist'],
    ['no JSON', '{', 'providers.json: '],
    [
      'a provider without a program',
      '{"providers": [{"name": "a"}]}',
      'providers[0].execConfig.command: is missing',
    ],
    [
      'a provider for all servers',
      '{"providers": [{"name": "a", "execConfig": {"apiVersion": "client.authentication.k8s.io/v1", "command": "a"}}]}',
      'providers[0].servers: is missing',
    ],
  ])('%s is refused before anything begins', async (_, text, problem) => {
    const path = join(fleet.folder, text === undefined ? 'none.json' : 'providers.json')
    if (text !== undefined) writeFileSync(path, text)
    const { code, err } = await run(`controller --credential-provider ${path}`)
    expect([code, err.includes(problem)]).toEqual([2, true])
  })

  it.each(['controller', 'plan'])('%s --max-removal takes an amount', async (command) => {
    const { code, err } = await run(`${command} --max-removal most`)
    expect([code, err.includes('--max-removal most: must be a number of clusters')]).toEqual([2, true])
  })

  it.each([
    ['--allow-host localhost', 'localhost: "localhost" is not HOST:PORT or a CIDR'],
    ['--argocd-namespaces argocd,*', '--argocd-namespaces argocd,*: "*" is not a namespace'],
  ])('%s is refused', async (flag, problem) => {
    const { code, err } = await run(`controller ${flag}`)
    expect([code, err.replace(/\s+/g, ' ').includes(problem)]).toEqual([2, true])
  })

  it('--git-author takes a person', async () => {
    const { code, err } = await run('controller --git-author ada@example.com')
    expect([code, err.includes('--git-author ada@example.com: must be Name')]).toEqual([2, true])
  })

  it('--orphan-retention takes a duration', async () => {
    const { code, err } = await run('controller --orphan-retention soon')
    expect([code, err.includes('--orphan-retention soon: must be a duration')]).toEqual([2, true])
  })
})
