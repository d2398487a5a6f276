import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { nodeConnect } from './nodeconnect.ts'

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
