/** A TCP way to a server that can be shut, as when a network is: what is open ends, and nobody gets through. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface TcpGate {
  /** As the server's, but for its port. */
  readonly url: string
  shut(): void
  open(): void
  close(): Promise<void>
}

export async function openGate(target: string): Promise<TcpGate> {
  const { hostname, port, protocol } = new URL(target)
  const sockets = new Set<Socket>()
  let isShut = false
  const server = createServer((near) => {
    if (isShut) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const cut = (): void => {
    for (const s of sockets) s.destroy()
  }
  return {
    url: `${protocol}//127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    shut() {
      isShut = true
      cut()
    },
    open() {
      isShut = false
    },
    async close() {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
