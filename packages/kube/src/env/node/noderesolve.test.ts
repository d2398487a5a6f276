import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allowingHosts, LOOPBACK } from '../hostrefusal.ts'
import { createNodeEnv } from './nodeenv.ts'
import { nodeLog } from './nodelog.ts'

const by = { namespace: 'team-a' }

describe('a connection for a namespace', () => {
  const { net } = createNodeEnv(nodeLog('silent'))
  let server: Server
  let port: number
  let accepted = 0

  beforeAll(async () => {
    server = createServer((socket) => {
      accepted++
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
    })
    await new Promise<void>((ready) => server.listen(0, '0.0.0.0', ready))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())
  beforeEach(() => {
    accepted = 0
  })

  async function ask(host: string, who: Parameters<typeof net.connect>[1], through = net) {
    const connection = through.connect({ url: `http://${host}:${port}` }, who)
    const answer = await connection.request({ method: 'GET', path: '/', headers: {} })
    await connection.close()
    return answer.ok ? answer.value.status : answer.error
  }

  it.each(['127.0.0.1', 'localhost', '127.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'A15: is not opened to %s',
    async (host) => {
      expect(await ask(host, by)).toMatchObject({ phase: 'connect', refused: { port } })
      expect(accepted).toBe(0)
    },
  )

  it('is opened by an operator, and where --allow-host has the host', async () => {
    expect(await ask('localhost', 'operator')).toBe(204)
    expect(await ask('localhost', by, allowingHosts(net, LOOPBACK))).toBe(204)
    expect(accepted).toBe(2)
  })

  it.each(['localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1'])(
    'A15: is not opened by a program to %s, which the system resolves',
    async (host) => {
      expect(await net.resolve(host, 22, by)).toMatchObject({ ok: false, error: { refused: { port: 22 } } })
      expect((await net.resolve(host, 22, 'operator')).ok).toBe(true)
    },
  )

  it('has no address for a name that does not exist', async () => {
    expect(await net.resolve('none.invalid', 22, by)).toMatchObject({ ok: false, error: { phase: 'dns' } })
  })
})
