/** A TCP proxy that cuts a connection after so many bytes of a request, or of its answer. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  /** Applies to the next connection only. */
  cutAfter(cut: { readonly sent?: number; readonly received?: number }): void
  /** Bytes that went each way on the last connection. */
  readonly last: { readonly sent: number; readonly received: number }
  close(): void
}

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  let plan: { readonly sent?: number; readonly received?: number } = {}
  const last = { sent: 0, received: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const { sent = Number.POSITIVE_INFINITY, received = Number.POSITIVE_INFINITY } = plan
    plan = {}
    last.sent = 0
    last.received = 0
    const far = connect(Number(port), hostname)
    const cut = (): void => {
      near.destroy()
      far.destroy()
    }
    for (const s of [near, far]) {
      sockets.add(s)
      s.on('error', cut)
      s.on('close', cut)
    }
    near.on('data', (piece: Buffer) => {
      const part = piece.subarray(0, sent - last.sent)
      last.sent += part.length
      // What came through is delivered before the end: the server may act on it.
      if (last.sent >= sent) far.write(part, () => setImmediate(cut))
      else far.write(part)
    })
    far.on('data', (piece: Buffer) => {
      const part = piece.subarray(0, received - last.received)
      last.received += part.length
      if (last.received >= received) near.write(part, () => near.destroy())
      else near.write(part)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    cutAfter(cut) {
      plan = cut
    },
    last,
    close() {
      for (const s of sockets) s.destroy()
      server.close()
    },
  }
}
