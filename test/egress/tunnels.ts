/** An HTTP proxy on loopback, which knows every name as this machine. */
import { once } from 'node:events'
import { request as ask, createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface Tunnels {
  readonly url: string
  /** `CONNECT host:port`, `GET http://host:port/path`: each once it was asked for. */
  readonly asked: string[]
  close(): void
}

export async function openTunnels(): Promise<Tunnels> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { port, pathname, search } = new URL(request.url!)
    const { method, headers } = request
    const far = ask({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(far)
  })
  server.on('connect', (request, near: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    const far = connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => (socket === near ? far : near).destroy())
    }
    near.write('HTTP/1.1 200 Connection established\r\n\r\n')
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
