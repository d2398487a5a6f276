import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeConnect } from './nodeconnect.ts'

/** A certificate of no host that is asked here. */
function certificate(): { readonly cert: string; readonly key: string } {
  const folder = join(import.meta.dirname, '../../../../../test/git/tls')
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8'))
  return { cert: cert!, key: key! }
}

it.each(['PUT', 'DELETE'])('%s with a body keeps its connection', async (method) => {
  let connections = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'))
  }).on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connection = nodeConnect({ url: `http://127.0.0.1:${port}` }, 'operator')
  for (let i = 0; i < 3; i++) {
    const answer = await connection.request({ method, path: '/a', headers: {}, body: '{}' })
    expect(answer.ok && (await answer.value.text())).toEqual({ ok: true, value: '{}' })
    // The connection is free after a cycle of the event loop.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  }
  expect(connections).toBe(1)
  await connection.close()
  server.close()
})

it('a client certificate that cannot be read fails each request, and nothing else', async () => {
  const tls = { cert: 'no certificate', key: 'no key' }
  const connection = nodeConnect({ url: 'https://127.0.0.1:9', tls }, 'operator')
  for (let i = 0; i < 2; i++) {
    const answer = await connection.request({ method: 'GET', path: '/a', headers: {} })
    expect(answer).toMatchObject({ ok: false, error: { phase: 'tls' } })
  }
  await connection.close()
})

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

/** Address of a server on this machine. */
async function listen(server: Server): Promise<string> {
  open.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serve = async (listener: RequestListener): Promise<string> =>
  `http://${await listen(createServer(listener))}`
const ask = { method: 'GET', path: '/', headers: {} }

it('each group is a header of its own', async () => {
  let raw: string[] = []
  const url = await serve((request, response) => {
    raw = request.rawHeaders
    response.end()
  })
  const connection = nodeConnect({ url, impersonate: { user: 'jane', groups: ['dev', 'a,b'] } }, 'operator')
  const answer = await connection.request(ask)
  expect(answer.ok && (await answer.value.text()).ok).toBe(true)
  expect(raw.flatMap((name, i) => (name === 'impersonate-group' ? [raw[i + 1]] : []))).toEqual(['dev', 'a,b'])
  await connection.close()
})

it('a connection that was closed before its first request opens none', async () => {
  let asked = 0
  const url = await serve((_, response) => {
    asked++
    response.end()
  })
  const connection = nodeConnect({ url }, 'operator')
  await connection.close()
  expect(await connection.request(ask)).toMatchObject({ ok: false, error: { phase: 'connect' } })
  expect(asked).toBe(0)
})

it('a damaged record of an answer is not a failure of the handshake: the request may have been executed', async () => {
  const { cert, key } = certificate()
  let hasArrived = false
  const server = await listen(
    createTlsServer({ cert, key }, (_, response) => {
      hasArrived = true
      response.end('done')
    }) as unknown as Server,
  )
  const [host, port] = server.split(':')
  const middle = createTcpServer((near) => {
    const far = connect(Number(port), host)
    near.pipe(far)
    far.on('data', (bytes: Buffer) => {
      if (hasArrived) bytes[bytes.length - 1]! ^= 1
      near.write(bytes)
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const)
      socket.on('close', () => other.destroy())
    for (const socket of [near, far]) socket.on('error', () => {})
  })
  const url = `https://${await listen(middle as unknown as Server)}`
  const connection = nodeConnect({ url, tls: { insecure: true } }, 'operator')
  const answer = await connection.request({ ...ask, method: 'POST', body: '{}' })
  expect([hasArrived, answer]).toMatchObject([true, { ok: false, error: { phase: 'receive' } }])
  await connection.close()
})

describe('a connection that closes when it is idle', () => {
  it('answers earlier requests, and takes none after', async () => {
    let answer = (): void => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    let seen = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      seen = resolve
    })
    const url = await serve(async (_, response) => {
      seen()
      await asked
      response.end('done')
    })
    const connection = nodeConnect({ url }, 'operator')
    const first = connection.request(ask)
    await arrived
    const closed = connection.close('idle')
    expect(await connection.request(ask)).toMatchObject({ ok: false, error: { phase: 'connect' } })
    answer()
    const done = await first
    expect(done.ok && (await done.value.text())).toEqual({ ok: true, value: 'done' })
    await closed
  })

  it('ends at once when it is closed a second time', async () => {
    const url = await serve((_, response) => void response.writeHead(200).write('more follows'))
    const connection = nodeConnect({ url }, 'operator')
    const answer = await connection.request(ask)
    const idle = connection.close('idle')
    await connection.close()
    expect(answer.ok && (await answer.value.text())).toMatchObject({ ok: false, error: { phase: 'receive' } })
    await idle
  })
})

describe('through a proxy', () => {
  /** Tunnels to the requested server, or refuses. */
  async function proxy(status: number): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = []
    const server = createServer()
    server.on('connect', (request, near) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      near.write(`HTTP/1.1 ${status} x\r\n\r\n`)
      if (status !== 200) return void near.end()
      const [host, port] = request.url!.split(':')
      const far = connect(Number(port), host)
      near.pipe(far).pipe(near)
      near.on('error', () => far.destroy())
      far.on('error', () => near.destroy())
    })
    const url = `http://me:secret@${await listen(server)}`
    return { url, asked }
  }

  it('the server is reached by CONNECT, with the credential of the proxy', async () => {
    const { cert, key } = certificate()
    const far = createTlsServer({ cert, key }, (_, response) => response.end('far'))
    const url = `https://${await listen(far as unknown as Server)}`
    const by = await proxy(200)
    const connection = nodeConnect({ url, proxy: by.url, tls: { insecure: true } }, 'operator')
    const answer = await connection.request(ask)
    expect(answer.ok && (await answer.value.text())).toEqual({ ok: true, value: 'far' })
    expect(by.asked).toEqual([`${new URL(url).host} Basic ${btoa('me:secret')}`])
    await connection.close()
  })

  it('one that opens no tunnel: nothing was sent', async () => {
    const by = await proxy(403)
    const connection = nodeConnect({ url: 'https://hub.test', proxy: by.url }, 'operator')
    const answer = await connection.request(ask)
    expect(answer).toMatchObject({
      ok: false,
      error: { phase: 'connect', detail: expect.stringContaining('403') },
    })
    expect(JSON.stringify(answer)).not.toContain('secret')
    await connection.close()
  })
})
