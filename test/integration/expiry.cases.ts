/** The end of a cluster's credential, on the metrics page of a process and in `cluster list`. */
import { X509Certificate } from 'node:crypto'
import { expect } from 'vitest'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createLocalCertificate } from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { sit } from '../e2e/person.ts'
import { quiet } from '../kube/subjects.ts'
import { ControllerReplicas, type Replica } from './controllerreplicas.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const PATIENCE_SECONDS = 300
const BETWEEN_MS = 250
/** Seconds since the epoch. */
const ENDS = [4_000_000_000, 4_100_000_000]

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const endingAt = (exp: number) => ({ token: `${part({ alg: 'ES256' })}.${part({ exp })}.c2ln` })

/** Registers cluster c9, at the server of c1, with a credential of its own. */
function putCluster(c: Corner, user: object): Promise<void> {
  const whole = JSON.parse(c.subject.c1.kubeconfig)
  return c.cluster('c9', JSON.stringify({ ...whole, users: [{ name: whole.users[0].name, user }] }))
}

/** Waits until the page has the sample. */
async function untilSample(leader: Replica, c: Corner, seconds: number): Promise<void> {
  const { address } = await leader.said('serves metrics')
  const name = 'lockstep_cluster_credential_expiry_timestamp_seconds'
  const sample = `${name}{namespace="${c.namespace}",cluster="c9"} ${seconds}\n`
  let page = ''
  for (let i = 0; i < (PATIENCE_SECONDS * 1000) / BETWEEN_MS; i++) {
    page = await (await fetch(`${String(address)}/metrics`)).text()
    if (page.includes(sample)) return
    await new Promise((done) => setTimeout(done, BETWEEN_MS))
  }
  throw new Error(`no sample ${sample}; but: ${page.split('\n').filter((l) => l.startsWith(name))}`)
}

async function expectListed(c: Corner, replicas: ControllerReplicas, seconds: number): Promise<void> {
  const ran = await sit(['cluster', 'list', '-n', c.namespace, '--kubeconfig', 'kubeconfig', '-o', 'json'], {
    cwd: replicas.folder,
  })
  const row = JSON.parse(ran.out).items.find((i: { name: string }) => i.name === 'c9')
  expect([ran.code, Date.parse(row.expires)]).toEqual([0, seconds * 1000])
}

export const expiryCases: readonly FleetCase[] = [
  {
    name: 'credentials: the metrics page and cluster list show the end of the credential that a Secret has now',
    alone: true,
    patienceSeconds: PATIENCE_SECONDS,
    async run(c) {
      c.controllers.kill()
      const replicas = new ControllerReplicas(c.subject.hub.kubeconfig, c.namespace, 'endless')
      try {
        const leader = await replicas.start({ args: ['--metrics-address', '127.0.0.1:0'] })
        await leader.said('caches complete')
        const shows = async (user: object, seconds: number): Promise<void> => {
          await putCluster(c, user)
          await untilSample(leader, c, seconds)
          await expectListed(c, replicas, seconds)
        }
        for (const end of ENDS) await shows(endingAt(end), end)
        const { cert, key } = await createLocalCertificate(createNodeEnv(quiet))
        const user = { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) }
        await shows(user, Date.parse(new X509Certificate(cert).validTo) / 1000)
      } finally {
        await replicas.stop()
        c.controllers.start()
      }
    },
  },
]
