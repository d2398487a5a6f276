/** A server behind a proxy that writes down what is asked of it, and what it answers. */
import { request as plain } from 'node:http'
import { createServer, request as secure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { createLocalCertificate } from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { quiet } from './subjects.ts'

/** One request, in the order of the answers. A watch is there once it is accepted. */
export interface AnsweredRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly status: number
}

export interface CountingProxy {
  /** HTTPS. */
  readonly url: string
  /** PEM: what its clients trust. */
  readonly ca: string
  readonly answers: readonly AnsweredRequest[]
  close(): void
}

/** `ca`: PEM, of a target that is served over TLS. */
export async function countingProxy(target: string, ca?: string): Promise<CountingProxy> {
  const answers: AnsweredRequest[] = []
  const { pathname, protocol } = new URL(target)
  const send = protocol === 'https:' ? secure : plain
  const own = await createLocalCertificate(createNodeEnv(quiet))
  const server = createServer({ cert: own.cert, key: own.key }, (near, answer) => {
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
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: own.ca,
    answers,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
