/** A server behind a proxy that writes down what is asked of it, and what it answers. */
import { createServer, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { AddressInfo } from 'node:net'

/** One request, in the order of the answers. A watch is there once it is accepted. */
export interface AnsweredRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly status: number
}

export interface CountingProxy {
  readonly url: string
  readonly answers: readonly AnsweredRequest[]
  close(): void
}

/** `ca`: PEM, of a target that is served over TLS. */
export async function countingProxy(target: string, ca?: string): Promise<CountingProxy> {
  const answers: AnsweredRequest[] = []
  const { pathname, protocol } = new URL(target)
  const send = protocol === 'https:' ? secure : plain
  const server = createServer((near, answer) => {
    const path = near.url ?? '/'
    const options = {
      method: near.method,
      headers: near.headers,
      path: pathname === '/' ? path : pathname + path,
      ca,
    }
    const far = send(target, options, (back) => {
      answers.push({ method: near.method ?? '', path, status: back.statusCode ?? 0 })
      answer.writeHead(back.statusCode ?? 502, back.headers)
      answer.flushHeaders()
      back.on('error', () => answer.destroy())
      back.pipe(answer)
    })
    far.on('error', () => answer.destroy())
    answer.on('close', () => far.destroy())
    near.pipe(far)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
