import { execFileSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientCertificate, Listening } from '../net.ts'
import { createNodeEnv } from './nodeenv.ts'
import { nodeLog } from './nodelog.ts'

/** Certificates are made by openssl: nothing here makes any. */
function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('openssl is not on the PATH: its tests are left out')
    return false
  }
}

const isMissing = !hasOpenssl()

describe('a listener', () => {
  it('is closed once nobody works on what was asked before', async () => {
    const env = createNodeEnv(nodeLog('silent'))
    const told: string[] = []
    const steps = new EventEmitter()
    const opened = await env.net.listen({ host: '127.0.0.1', port: 0 }, async () => {
      const goesOn = once(steps, 'go on')
      steps.emit('begun')
      await goesOn
      told.push('worked')
      return { status: 200, headers: {}, body: '' }
    })
    if (!opened.ok) throw new Error(opened.error.detail)
    const connection = env.net.connect({ url: opened.value.url }, 'operator')
    const begun = once(steps, 'begun')
    const answer = connection.request({ method: 'GET', path: '/', headers: {} })
    await begun
    const closed = opened.value.close().then(() => told.push('closed'))
    expect(await answer).toMatchObject({ ok: false })
    steps.emit('go on')
    await closed
    expect(told).toEqual(['worked', 'closed'])
    await connection.close()
  })

  it('an exception of its handler fails that request alone', async () => {
    const env = createNodeEnv(nodeLog('silent'))
    const opened = await env.net.listen({ host: '127.0.0.1', port: 0 }, async ({ url }) => {
      if (url === '/bad') throw new Error('planted')
      return { status: 200, headers: {}, body: 'fine' }
    })
    if (!opened.ok) throw new Error(opened.error.detail)
    const connection = env.net.connect({ url: opened.value.url }, 'operator')
    const statusOf = async (path: string) => {
      const answer = await connection.request({ method: 'GET', path, headers: {} })
      return answer.ok ? answer.value.status : answer.error.detail
    }
    expect([await statusOf('/bad'), await statusOf('/good')]).toEqual([500, 200])
    await connection.close()
    await opened.value.close()
  })
})

describe.skipIf(isMissing)('a listener with TLS', () => {
  const env = createNodeEnv(nodeLog('silent'))
  let folder = ''
  let listening: Listening
  let seen: ClientCertificate | undefined

  const openssl = (line: string): void =>
    void execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' })
  const pem = (name: string): string => readFileSync(join(folder, name), 'utf8')

  function authority(name: string): void {
    openssl(
      `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`,
    )
  }
  function certificate(name: string, subject: string, by: string, more = ''): void {
    openssl(`req -newkey rsa:2048 -nodes -subj ${subject} -keyout ${name}.key -out ${name}.csr`)
    openssl(
      `x509 -req -days 2 -in ${name}.csr -CA ${by}.crt -CAkey ${by}.key -CAcreateserial -out ${name}.crt${more}`,
    )
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-tls-'))
    for (const name of ['ca', 'other']) authority(name)
    writeFileSync(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1\n')
    certificate('server', '/CN=server', 'ca', ' -extfile san')
    certificate('jane', '/O=dev/O=ops/CN=jane', 'ca')
    certificate('mallory', '/O=system:masters/CN=mallory', 'other')
    const tls = { cert: pem('server.crt'), key: pem('server.key'), clientCa: pem('ca.crt') }
    const opened = await env.net.listen({ host: '127.0.0.1', port: 0, tls }, async (request) => {
      seen = request.certificate
      return { status: 200, headers: {}, body: 'ok' }
    })
    if (!opened.ok) throw new Error(opened.error.detail)
    listening = opened.value
  }, 60_000)

  afterAll(async () => {
    await listening?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function asks(name: string | undefined): Promise<ClientCertificate | undefined> {
    const own = name === undefined ? {} : { cert: pem(`${name}.crt`), key: pem(`${name}.key`) }
    const connection = env.net.connect({ url: listening.url, tls: { ca: pem('ca.crt'), ...own } }, 'operator')
    const answer = await connection.request({ method: 'GET', path: '/', headers: {} })
    expect(answer).toMatchObject({ ok: true, value: { status: 200 } })
    await connection.close()
    return seen
  }

  it('knows who a client is by its certificate', async () => {
    expect(await asks('jane')).toEqual({ commonName: 'jane', organizations: ['dev', 'ops'] })
  })

  it('takes one of another authority for none, as it takes none', async () => {
    expect(await asks('mallory')).toBeUndefined()
    expect(await asks(undefined)).toBeUndefined()
  })
})
