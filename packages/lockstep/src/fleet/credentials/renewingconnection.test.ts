/** Credentials that are replaced below a connection: over real HTTP and TLS, and without a failed request. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import {
  type IncomingMessage,
  createServer as plainServer,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as tlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Env } from '../../../../kube/src/env/env.ts'
import type { NetRequest } from '../../../../kube/src/env/net.ts'
import { createNodeEnv } from '../../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../../kube/src/env/node/nodelog.ts'
import { createLocalCertificate } from '../../cli/kit/localfleet/localcertificate.ts'
import { CredentialCache } from './credentialcache.ts'
import { renewingConnection } from './renewingconnection.ts'

let folder: string
const servers: Server[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-renewing-'))
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true })
})

/** As a kubelet replaces a file: readers see the old or the new one. */
function put(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
  return path
}

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The real world, whose clock can be put forward. */
function world() {
  const node = createNodeEnv(nodeLog('silent'))
  let ahead = 0
  const env: Env = { ...node, clock: { ...node.clock, steady: () => node.clock.steady() + ahead } }
  return {
    env,
    pass: (ms: number) => {
      ahead += ms
    },
  }
}

const get = (more: Partial<NetRequest> = {}): NetRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  ...more,
})

/** Answers 401 to every token but those of the moment. */
function tokenServer(valid: Set<string>, seen: string[] = []) {
  return plainServer((request: IncomingMessage, response: ServerResponse) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    seen.push(token)
    response.statusCode = valid.has(token) ? 200 : 401
    response.end(valid.has(token) ? 'ok' : 'x'.repeat(2000))
  })
}

describe('a token', () => {
  it('that was replaced and revoked is read at once, and the request is sent once more', async () => {
    const valid = new Set(['t0'])
    const seen: string[] = []
    const url = `http://${await listen(tokenServer(valid, seen))}`
    const token = put('token', 't0')
    const { env } = world()
    const cache = new CredentialCache(
      env,
      { type: 'Files', endpoint: { url }, files: { token } },
      { by: 'operator' },
    )
    const connection = renewingConnection(env, cache, 'operator')
    const statuses: (number | string)[] = []
    for (let i = 1; i <= 5; i++) {
      put('token', `t${i}`)
      valid.clear()
      valid.add(`t${i}`)
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => connection.request(get({ method: 'POST', body: '{}' }))),
      )
      for (const a of answers) {
        statuses.push(a.ok ? a.value.status : a.error.detail)
        if (a.ok) await a.value.text()
      }
    }
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
    expect(seen.filter((t) => t === 't0').length).toBeLessThanOrEqual(4)
    await connection.close()
  })

  it('that stays refused is sent once a request', async () => {
    const seen: string[] = []
    const url = `http://${await listen(tokenServer(new Set(), seen))}`
    const token = put('token', 'old')
    const { env } = world()
    const cache = new CredentialCache(
      env,
      { type: 'Files', endpoint: { url }, files: { token } },
      { by: 'operator' },
    )
    const connection = renewingConnection(env, cache, 'operator')
    const answer = await connection.request(get())
    expect(answer.ok && [answer.value.status, (await answer.value.text()).ok]).toEqual([401, true])
    expect(seen).toEqual(['old'])
    await connection.close()
  })

  it('that is read after the time of the request is over is not sent', async () => {
    const seen: string[] = []
    const url = `http://${await listen(tokenServer(new Set(['new']), seen))}`
    const token = put('token', 'old')
    const { env, pass } = world()
    const slow: Env = {
      ...env,
      files: {
        ...env.files,
        read: async (path) => {
          if (seen.length > 0) pass(1000)
          return env.files.read(path)
        },
      },
    }
    const cache = new CredentialCache(
      slow,
      { type: 'Files', endpoint: { url }, files: { token } },
      { by: 'operator' },
    )
    const connection = renewingConnection(slow, cache, 'operator')
    await cache.get()
    put('token', 'new')
    const answer = await connection.request(get({ timeoutMs: 900 }))
    expect(answer).toEqual({ ok: false, error: { phase: 'connect', detail: 'the credential came too late' } })
    expect(seen).toEqual(['old'])
    await connection.close()
  })
})

/** A connection with the credential of a program, and its runs; each ends when `answer` is called. */
function programConnection(url: string, of: Partial<Env> = {}) {
  const { env } = world()
  const runs: ((token: string) => void)[] = []
  const run = (): Promise<unknown> =>
    new Promise((resolve) => {
      runs.push((token) => {
        const answer = { apiVersion: V1, kind: 'ExecCredential', status: { token } }
        const stdout = new TextEncoder().encode(JSON.stringify(answer))
        resolve({ ok: true, value: { code: 0, stdout, stderr: '' } })
      })
    })
  const processes = { find: env.processes.find, run } as unknown as Env['processes']
  const program = {
    owner: 'x',
    apiVersion: V1,
    command: 'login',
    args: [],
    env: {},
    provideClusterInfo: false,
  }
  const cache = new CredentialCache(
    { ...env, processes, ...of },
    { type: 'Exec', endpoint: { url }, files: {}, program } as never,
    { by: 'operator' },
  )
  const connection = renewingConnection({ ...env, processes, ...of }, cache, 'operator')
  /** Resolves once a program runs. */
  const started = async (count: number): Promise<void> => {
    while (runs.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { connection, runs, started }
}

const V1 = 'client.authentication.k8s.io/v1'

describe('a program', () => {
  it('runs once for all requests that were refused with its token', async () => {
    const waiting: ServerResponse[] = []
    // All are refused at once.
    const server = plainServer((_, response) => {
      waiting.push(response)
      if (waiting.length === 3) for (const r of waiting) r.writeHead(401).end()
    })
    const { connection, runs, started } = programConnection(`http://${await listen(server)}`)
    const asked = Array.from({ length: 3 }, () => connection.request(get()))
    await started(1)
    runs[0]!('same')
    await started(2)
    runs[1]!('same')
    const statuses = (await Promise.all(asked)).map((a) => a.ok && a.value.status)
    expect([statuses, runs.length]).toEqual([[401, 401, 401], 2])
    await connection.close()
  })

  it('is not waited for by a request that is aborted, or whose time is over', async () => {
    const { connection, runs, started } = programConnection('http://127.0.0.1:9')
    const giving = new AbortController()
    const given = connection.request(get({ signal: giving.signal }))
    const late = connection.request(get({ timeoutMs: 20 }))
    await started(1)
    giving.abort()
    expect(await given).toEqual({ ok: false, error: { phase: 'aborted', detail: 'aborted' } })
    expect(await late).toMatchObject({ ok: false, error: { detail: 'the credential came too late' } })
    expect(runs).toHaveLength(1)
    await connection.close()
  })

  it('that ends after the connection was closed sends its token nowhere', async () => {
    const seen: string[] = []
    const url = `http://${await listen(tokenServer(new Set(), seen))}`
    const { connection, runs, started } = programConnection(url)
    const asked = connection.request(get())
    await started(1)
    await connection.close()
    runs[0]!('late')
    expect(await asked).toMatchObject({ ok: false, error: { detail: 'the connection is closed' } })
    expect(seen).toEqual([])
  })

  it('does not run for a server whose certificate is not accepted, since its token was not refused', async () => {
    const { cert, key } = await createLocalCertificate(world().env)
    const url = `https://${await listen(tlsServer({ cert, key }, (_, response) => void response.end()))}`
    const { connection, runs, started } = programConnection(url)
    const asked = connection.request(get())
    await started(1)
    runs[0]!('token')
    expect(await asked).toMatchObject({ ok: false, error: { phase: 'tls' } })
    expect(runs).toHaveLength(1)
    await connection.close()
  })
})

describe('a user to act as', () => {
  it('goes with each request, and gives way to another one', async () => {
    const seen: unknown[] = []
    const server = plainServer((request, response) => {
      seen.push([request.headers['impersonate-user'], request.headers['impersonate-group']])
      response.end()
    })
    const url = `http://${await listen(server)}`
    const endpoint = { url, impersonate: { user: 'jane', groups: ['admins'] } }
    const { env } = world()
    const cache = new CredentialCache(env, { type: 'Static', endpoint }, { by: 'operator' })
    const connection = renewingConnection(env, cache, 'operator')
    for (const own of [undefined, 'system:serviceaccount:a:b']) {
      const headers: NetRequest['headers'] = own === undefined ? {} : { 'impersonate-user': own }
      const answer = await connection.request(get({ headers }))
      if (answer.ok) await answer.value.text()
    }
    expect(seen).toEqual([
      ['jane', 'admins'],
      ['system:serviceaccount:a:b', undefined],
    ])
    await connection.close()
  })
})

describe('a client certificate', () => {
  it('that is replaced is shown by new connections', async () => {
    const { env, pass } = world()
    const [server, first, second] = await Promise.all([1, 2, 3].map(() => createLocalCertificate(env)))
    const tls = { cert: server!.cert, key: server!.key, requestCert: true, rejectUnauthorized: false }
    const listener = tlsServer(tls, (request, response) => {
      response.end((request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? 'none')
    })
    const url = `https://${await listen(listener)}`
    const files = { ca: put('ca', server!.ca), cert: put('cert', first!.cert), key: put('key', first!.key) }
    const cache = new CredentialCache(env, { type: 'Files', endpoint: { url }, files }, { by: 'operator' })
    const connection = renewingConnection(env, cache, 'operator')
    const shown = async () => {
      const answer = await connection.request(get())
      const text = answer.ok ? await answer.value.text() : answer
      return text.ok ? text.value : text.error.detail
    }
    const fingerprint = (c: typeof first) => new X509Certificate(c!.cert).fingerprint256
    expect(await shown()).toBe(fingerprint(first))
    put('cert', second!.cert)
    pass(10_000)
    expect(await shown()).toBe(fingerprint(first))
    put('key', second!.key)
    pass(10_000)
    expect(await shown()).toBe(fingerprint(second))
    await connection.close()
  })
})

describe('a CA', () => {
  it('that is replaced opens new connections, and keeps watches of the old ones', async () => {
    const { env, pass } = world()
    const [first, second] = await Promise.all([createLocalCertificate(env), createLocalCertificate(env)])
    let more = (_: string): void => {}
    const server = tlsServer({ cert: first.cert, key: first.key }, (request, response) => {
      if (!request.url?.includes('watch')) return void response.end('ok')
      response.write('one\n')
      more = (text) => response.end(text)
    })
    const url = `https://${await listen(server)}`
    const ca = put('ca.crt', first.ca)
    const cache = new CredentialCache(
      env,
      { type: 'Files', endpoint: { url }, files: { ca } },
      { by: 'operator' },
    )
    const connection = renewingConnection(env, cache, 'operator')
    const ask = async () => {
      const answer = await connection.request(get())
      if (!answer.ok) return answer.error.phase
      const text = await answer.value.text()
      return text.ok ? text.value : text.error.phase
    }
    const watch = await connection.request(get({ path: '/?watch=true' }))
    expect(await ask()).toBe('ok')

    // New handshakes get the certificate of another authority; connections that are open stay.
    server.setSecureContext({ cert: second.cert, key: second.key })
    server.closeIdleConnections()
    expect(await ask()).toBe('tls')
    put('ca.crt', second.ca)
    expect(await ask()).toBe('ok')
    pass(10_000)
    expect(await ask()).toBe('ok')

    const lines: string[] = []
    more('two\n')
    if (watch.ok) for await (const line of watch.value.lines()) lines.push(line)
    expect(lines).toEqual(['one', 'two'])
    await connection.close()
  })
})
