/** A hub without Cluster API has no ClusterResourceSets to hand back. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sit } from './person.ts'

let server: Server
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-handback-'))
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hub', cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'me', namespace: 'sets' } }],
    users: [{ name: 'me', user: {} }],
    'current-context': 'hub',
  }
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const run = (args: string) => sit(args.split(' '), { variables: { KUBECONFIG: join(folder, 'kubeconfig') } })
const NONE = 'no ClusterResourceSets: the hub does not serve the kind\n'

it.each(['--all', '--all -A', '--all -A --yes', '--all --strip --yes'])('handback crs %s', async (flags) => {
  expect(await run(`handback crs ${flags}`)).toEqual({ code: 0, out: '', err: NONE })
})

it('as a report it is empty', async () => {
  const { code, out } = await run('handback crs --all -o json')
  expect([code, JSON.parse(out)]).toMatchObject([0, { of: 'HandBack', sets: [] }])
})

it('a set that is named is still refused, and so is a takeover of all', async () => {
  for (const command of ['handback crs shop', 'takeover crs --all'])
    expect((await run(command)).err).toMatch(/ClusterResourceSet is not served by hub/)
})
