/** A15: hosts that no namespace may name, in every object that names one. Nothing is connected to, and no program is started. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { requestErrorText } from '../../packages/kube/src/client/requesterror.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { ProcessExit } from '../../packages/kube/src/env/processes.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import type { Secret } from '../../packages/kube/src/kinds/types.ts'
import { connectSource } from '../../packages/lockstep/src/fleet/credentials/renewingconnection.ts'
import { parseKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { connectGitProvider } from '../../packages/lockstep/src/gitproviders/registry.ts'
import { sendNotification } from '../../packages/lockstep/src/gitproviders/verification/notification.ts'
import { queryPrometheus } from '../../packages/lockstep/src/gitproviders/verification/prometheus.ts'
import { gitFault } from '../../packages/lockstep/src/sources/git/gitfault.ts'
import { GitRunner } from '../../packages/lockstep/src/sources/git/gitrunner.ts'
import { parseGitUrl } from '../../packages/lockstep/src/sources/git/giturl.ts'
import { TestRequester } from '../charts/testrequester.ts'
import { NAMES, REFUSED_HOSTS, refusalOf } from './refusedurls.ts'

const by = { namespace: 'team-a' }

interface Attack {
  readonly env: Env
  /** Host of the URL. */
  readonly host: string
}

/** The message of what an attack ends with. */
type Send = (a: Attack) => Promise<string>

const git =
  (scheme: 'https' | 'ssh'): Send =>
  async ({ env, host }) => {
    const user = scheme === 'ssh' ? 'git@' : ''
    const url = parseGitUrl(`${scheme}://${user}${host}/r.git`, false)
    if (!url.ok) throw new Error(url.error)
    const credentials =
      scheme === 'ssh'
        ? ({ type: 'ssh', identity: '', knownHosts: '' } as const)
        : ({ type: 'none' } as const)
    const opened = await GitRunner.open(env, { url: url.value, credentials, by, timeoutMs: 1000 })
    if (!opened.ok) throw new Error(opened.error)
    const done = await opened.value.run(['ls-remote', '--', url.value.text])
    if (done.ok) return 'done'
    const fault = gitFault(done.error, url.value)
    return `${fault.reason}: ${fault.message}`
  }

const chart =
  (scheme: 'https' | 'oci'): Send =>
  async ({ env, host }) => {
    const asker = new TestRequester({ env, isLocal: false, root: '/cache', serve: async () => '' })
    return String(await asker.pick({ repository: `${scheme}://${host}/x`, chart: 'web', version: '1.0.0' }))
  }

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'git', namespace: 'team-a' },
  data: { token: btoa('t') },
} as unknown as Secret

const endpointOf = (host: string) => {
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: `https://${host}` } }],
    users: [{ name: 'c', user: { token: 't' } }],
  }
  const parsed = parseKubeconfig(JSON.stringify(kubeconfig), 'Secret')
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value.source.endpoint
}

const SENDERS: Readonly<Record<string, Send>> = {
  kubeconfig: async ({ env, host }) => {
    const client = createHttpClient(env, 'c', env.net.connect(endpointOf(host), by), 'lockstep-controller')
    const found = await client.discover({ purpose: 'sync' })
    return found.ok ? 'done' : requestErrorText(found.error)
  },
  'kubeconfig with a credential provider': async ({ env, host }) => {
    const program = {
      owner: 'credential provider gke',
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'get-token',
      args: [],
      env: {},
      provideClusterInfo: false,
    }
    const source = { type: 'Exec', endpoint: endpointOf(host), files: {}, program } as const
    const connection = connectSource(env, source, by)
    const answer = await connection.request({ method: 'GET', path: '/', headers: {} })
    return answer.ok ? 'done' : answer.error.detail
  },
  'git over https': git('https'),
  'git over ssh': git('ssh'),
  helm: chart('https'),
  oci: chart('oci'),
  metric: async ({ env, host }) => {
    const value = await queryPrometheus(env, { namespace: 'team-a', url: `https://${host}` }, 'up')
    return value.ok ? 'done' : value.error
  },
  notification: async ({ env, host }) => {
    const receiver = { namespace: 'team-a', url: `https://${host}/in`, timeoutMs: 1000 }
    const sent = await sendNotification(env, receiver, {
      id: 'i',
      source: 's',
      type: 't',
      time: '',
      body: '{}',
    })
    return sent.ok ? 'done' : `${sent.error.kind}: ${sent.error.message}`
  },
  'a Git host': async ({ env, host }) => {
    const settings = { provider: 'gitea', url: `https://${host}/o/r`, baseBranch: 'main' } as const
    const made = connectGitProvider(env, settings, SECRET)
    if (!made.ok) throw new Error(made.error)
    const pulls = await made.value.openPulls({ timeoutMs: 1000 })
    return pulls.ok ? 'done' : `${pulls.error.kind}: ${pulls.error.message}`
  },
}

/** Everything answers, wherever a request goes. */
function stage() {
  const sim = createSimEnv('attacks')
  let connected = 0
  let started = 0
  for (const [host, addresses] of Object.entries(NAMES)) sim.net.name(host, addresses)
  const serveAll = (host: string): void => {
    for (const scheme of ['https', 'http'])
      sim.net.serve(new URL(`${scheme}://${host}`).origin, async () => {
        connected++
        return { status: 200, headers: {}, body: '{}' }
      })
  }
  const processes: Env['processes'] = {
    ...sim.processes,
    async run() {
      started++
      const exit: ProcessExit = { code: 0, stdout: new Uint8Array(), stderr: '' }
      return ok(exit)
    },
  }
  return { env: { ...sim, processes } as Env, serveAll, seen: () => ({ connected, started }) }
}

describe.each(Object.keys(SENDERS))('A15: %s', (kind) => {
  it.each(REFUSED_HOSTS)('names %s, which is %s (%s)', async (host, _, what) => {
    const { env, serveAll, seen } = stage()
    serveAll(host)
    expect(await SENDERS[kind]!({ env, host })).toContain(refusalOf(what))
    expect(seen()).toEqual({ connected: 0, started: 0 })
  })

  it('names a host of a private network: it is asked', async () => {
    const { env, serveAll, seen } = stage()
    serveAll('10.1.2.3')
    await SENDERS[kind]!({ env, host: '10.1.2.3' })
    expect(seen().connected + seen().started).toBeGreaterThan(0)
  })
})
