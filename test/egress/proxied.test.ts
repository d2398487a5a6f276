/** Connections through an HTTP proxy and with an authority of an organization: of this process and of git. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { allowingHosts } from '../../packages/kube/src/env/hostrefusal.ts'
import { trusting } from '../../packages/kube/src/env/leavingby.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import type { Provenance } from '../../packages/kube/src/env/provenance.ts'
import {
  type AllowedProxies,
  type ClusterProxy,
  parseClusterProxy,
} from '../../packages/lockstep/src/fleet/kubeconfig/clusterproxy.ts'
import { kubeconfigFailureText } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigfailure.ts'
import { parseClusterKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import type { GitTls } from '../../packages/lockstep/src/sources/git/gitcredentials.ts'
import { GitRunner } from '../../packages/lockstep/src/sources/git/gitrunner.ts'
import { parseGitUrl } from '../../packages/lockstep/src/sources/git/giturl.ts'
import { type GitServer, serveGit } from '../git/gitserver.ts'
import { TestGitRepository } from '../git/testgitrepository.ts'
import { quiet } from '../kube/subjects.ts'
import { openTunnels, type Tunnels } from './tunnels.ts'

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'] as const
const before = new Map(VARIABLES.map((name) => [name, process.env[name]]))
const root = mkdtempSync(join(tmpdir(), 'lockstep-egress-'))
let server: GitServer
let tunnels: Tunnels
/** Only the proxy knows this name. */
let far: string

beforeAll(async () => {
  ;[server, tunnels] = await Promise.all([serveGit(root), openTunnels()])
  server.intercept = (request, response) => {
    if (request.url !== '/api') return false
    response.end('answer')
    return true
  }
  far = `https://git.test:${new URL(server.url).port}`
  new TestGitRepository(root, 'r.git').commit({ a: 'x' })
  writeFileSync(join(root, 'ca.pem'), server.ca)
})
afterEach(() => {
  tunnels.asked.length = 0
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})
afterAll(async () => {
  tunnels.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

/** The environment of a process with these variables and no others of `VARIABLES`. */
function envWith(variables: Partial<Record<(typeof VARIABLES)[number], string>>): Env {
  for (const name of VARIABLES) delete process.env[name]
  Object.assign(process.env, variables)
  return createNodeEnv(quiet)
}

const proxied = (): Env => envWith({ HTTPS_PROXY: tunnels.url })
const tenant = { namespace: 'team-a' }
const allowing = (env: Env): Env => {
  const to = { host: 'git.test', port: Number(new URL(far).port) }
  return { ...env, net: allowingHosts(env.net, [{ namespace: 'team-a', to }]) }
}

/** Body of an answer, or the failure. */
async function fetchBy({ net }: Env, by: Provenance, url: string, extraCa?: string) {
  const connection = net.connect({ url, ...(extraCa ? { tls: { extraCa } } : {}) }, by)
  const answer = await connection.request({ method: 'GET', path: '/api', headers: {} })
  const body = answer.ok ? await answer.value.text() : undefined
  await connection.close()
  return answer.ok ? body?.ok && body.value : answer.error
}

/** References of a repository, or the failure. */
async function listBy(env: Env, by: Provenance, url: string, tls?: GitTls) {
  const parsed = parseGitUrl(`${url}/r.git`, false)
  if (!parsed.ok) throw new Error(parsed.error)
  const credentials = { type: 'none', ...(tls ? { tls } : {}) } as const
  const git = await GitRunner.open(env, { url: parsed.value, credentials, by, timeoutMs: 20_000 })
  if (!git.ok) throw new Error(git.error)
  const listed = await git.value.run(['ls-remote', parsed.value.text])
  await git.value.close()
  return listed.ok ? new TextDecoder().decode(listed.value) : listed.error
}

/** Another authority, whose key is lost. */
const OTHER = `-----BEGIN CERTIFICATE-----
MIIBjDCCATGgAwIBAgIUHtyZMip36L4lNXtx4m30Wk3/V2QwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPb3RoZXIgYXV0aG9yaXR5MCAXDTI2MTEyODAxMDY0MVoYDzIx
MjYxMTA0MDEwNjQxWjAaMRgwFgYDVQQDDA9vdGhlciBhdXRob3JpdHkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARW4iA8INeJLjqfumaQAK2uViI8sS3ZpZxhuG48
JF0P0PjmR0V2ermCrwD6FKoJ4NReNwFMKggN0qByUSj8n4Bto1MwUTAdBgNVHQ4E
FgQUhBQsM7LtTsQ5bdnaBCpURHDY0oEwHwYDVR0jBBgwFoAUhBQsM7LtTsQ5bdna
BCpURHDY0oEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAyqTR
4dBvSTrRMOLRgq3+Ha/o7PkHFZoAbAV284vmIpQCIQD6tBARkm4nRfvyhfbAr8ez
+tw245D7RZXILisbSaAL+Q==
-----END CERTIFICATE-----
`

const REFS = expect.stringContaining('refs/heads/main')

describe('a proxy', () => {
  it('tunnels requests and git of operators, by name', async () => {
    const env = proxied()
    expect(await fetchBy(env, 'operator', far, server.ca)).toBe('answer')
    expect(await listBy(env, 'operator', far, { ca: server.ca })).toEqual(REFS)
    expect(new Set(tunnels.asked)).toEqual(new Set([`CONNECT ${new URL(far).host}`]))
  })

  it('makes a request without TLS itself: it may refuse tunnels to other ports than 443', async () => {
    const inner = createServer((_, response) => void response.end('plain'))
    inner.listen(0, '127.0.0.1')
    await once(inner, 'listening')
    const env = envWith({ HTTP_PROXY: tunnels.url })
    const url = `http://git.test:${(inner.address() as AddressInfo).port}`
    expect(await fetchBy(env, 'operator', url)).toBe('plain')
    expect(tunnels.asked).toEqual([`GET ${url}/api`])
    inner.close()
  })

  it('gets nothing for hosts of NO_PROXY and this machine', async () => {
    const env = envWith({ HTTPS_PROXY: tunnels.url, NO_PROXY: 'git.test' })
    expect(await fetchBy(env, 'operator', server.url, server.ca)).toBe('answer')
    expect(await listBy(env, 'operator', server.url, { ca: server.ca })).toEqual(REFS)
    expect(await fetchBy(env, 'operator', far, server.ca)).toMatchObject({ phase: 'dns' })
    expect(tunnels.asked).toEqual([])
  })

  it('gets a name of a namespace that has no address here with --allow-host only', async () => {
    const refused = expect.stringMatching(/git\.test; a name that only the proxy knows needs --allow-host$/)
    expect(await fetchBy(proxied(), tenant, far, server.ca)).toMatchObject({ phase: 'dns', detail: refused })
    expect(await listBy(proxied(), tenant, far, { ca: server.ca })).toMatchObject({
      kind: 'Unresolved',
      detail: refused,
    })
    expect(tunnels.asked).toEqual([])
    const env = allowing(proxied())
    expect(await fetchBy(env, tenant, far, server.ca)).toBe('answer')
    expect(await listBy(env, tenant, far, { ca: server.ca })).toEqual(REFS)
    const other = { namespace: 'team-b' }
    expect(await fetchBy(env, other, far, server.ca)).toMatchObject({ phase: 'dns' })
  })

  it.each(['169.254.169.254', '[fe80::1]', '0.0.0.0'])('never gets %s for a namespace', async (host) => {
    const url = `https://${host}:8443`
    expect(await fetchBy(proxied(), tenant, url)).toMatchObject({ refused: { port: 8443 } })
    expect(await listBy(proxied(), tenant, url)).toMatchObject({ kind: 'HostRefused' })
    expect(tunnels.asked).toEqual([])
  })
})

describe('a proxy that the kubeconfig of a cluster names', () => {
  /** The way to the cluster at `far`, or why there is none. */
  const endpointOf = (proxies: AllowedProxies) => {
    const ca = Buffer.from(server.ca).toString('base64')
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c' } }],
      clusters: [
        {
          name: 'c',
          cluster: { server: far, 'proxy-url': tunnels.url, 'certificate-authority-data': ca },
        },
      ],
    }
    const parsed = parseClusterKubeconfig(JSON.stringify(kubeconfig), proxies)
    return parsed.ok ? parsed.value.source.endpoint : kubeconfigFailureText(parsed.error)
  }
  const proxyOf = (text: string): ClusterProxy[] => {
    const parsed = parseClusterProxy(text)
    return parsed.ok ? [parsed.value] : []
  }
  const answerBy = async ({ net }: Env, by: Provenance) => {
    const endpoint = endpointOf(proxyOf('127.0.0.1'))
    if (typeof endpoint === 'string') throw new Error(endpoint)
    const connection = net.connect(endpoint, by)
    const answer = await connection.request({ method: 'GET', path: '/api', headers: {} })
    const body = answer.ok ? await answer.value.text() : undefined
    await connection.close()
    return answer.ok ? body?.ok && body.value : answer.error
  }

  it('tunnels requests to the cluster, also without and beside HTTPS_PROXY', async () => {
    const connect = [`CONNECT ${new URL(far).host}`]
    expect(await answerBy(allowing(envWith({})), tenant)).toBe('answer')
    expect(tunnels.asked.splice(0)).toEqual(connect)
    const other = allowing(envWith({ HTTPS_PROXY: 'http://127.0.0.1:9/' }))
    expect(await answerBy(other, tenant)).toBe('answer')
    expect(tunnels.asked.splice(0)).toEqual(connect)
  })

  it('gets a name that has no address here with --allow-host only', async () => {
    expect(await answerBy(envWith({}), tenant)).toMatchObject({ phase: 'dns' })
    expect(tunnels.asked).toEqual([])
  })

  it('is refused unless --allow-cluster-proxy names it', () => {
    const { host } = new URL(tunnels.url)
    const refusal = `clusters[0].cluster.proxy-url: ${host} is not an allowed proxy; an administrator allows it with --allow-cluster-proxy ${host} of the controller`
    expect(endpointOf([])).toBe(refusal)
    expect(endpointOf(proxyOf('127.0.0.1:9'))).toBe(refusal)
  })
})

describe('an authority of an organization', () => {
  const untrusted = { phase: 'tls' }

  it.each<[string, () => Env]>([
    ['NODE_EXTRA_CA_CERTS', () => envWith({ NODE_EXTRA_CA_CERTS: join(root, 'ca.pem') })],
    [
      '--ca-file',
      () => {
        const env = envWith({})
        return { ...env, net: trusting(env.net, server.ca) }
      },
    ],
  ])('of %s is trusted by requests and git, also beside that of a source', async (_, open) => {
    const env = open()
    expect(await fetchBy(env, 'operator', server.url)).toBe('answer')
    expect(await fetchBy(env, 'operator', server.url, OTHER)).toBe('answer')
    expect(await listBy(env, 'operator', server.url)).toEqual(REFS)
    expect(await listBy(env, 'operator', server.url, { ca: OTHER })).toEqual(REFS)
  })

  it('is not trusted without them', async () => {
    const env = envWith({})
    expect(await fetchBy(env, 'operator', server.url)).toMatchObject(untrusted)
    expect(await fetchBy(env, 'operator', server.url, OTHER)).toMatchObject(untrusted)
    expect(await listBy(env, 'operator', server.url)).toMatchObject({ kind: 'Exit' })
  })
})
