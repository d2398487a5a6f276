/** A way to a real API server that sees each request, and keeps it until a test lets it go. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import { type JsonValue, parseJson } from '../../packages/kube/src/object/index.ts'
import type { RealCluster } from './realservers.ts'

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly agent: string
  readonly body?: JsonValue
}

export interface RealProxy {
  /** `http://127.0.0.1:port`: an administrator's way in, without credentials. */
  readonly url: string
  close(): Promise<void>
}

/** `pass` is asked before a request goes on; it may wait. What comes of it goes to `answered`. */
export async function openProxy(
  target: RealCluster,
  pass: (request: ProxiedRequest) => Promise<void> | undefined,
  answered: (request: ProxiedRequest) => void,
): Promise<RealProxy> {
  const agent = new Agent({ ca: target.ca, keepAlive: true })
  const server = createServer((from, to) => void forward(target, agent, from, to, pass, answered))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server, agent) }
}

async function forward(
  target: RealCluster,
  agent: Agent,
  from: IncomingMessage,
  to: ServerResponse,
  pass: (request: ProxiedRequest) => Promise<void> | undefined,
  answered: (request: ProxiedRequest) => void,
): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of from) pieces.push(piece as Buffer)
  const bytes = Buffer.concat(pieces)
  const seen: ProxiedRequest = {
    method: from.method ?? '',
    path: from.url ?? '',
    agent: from.headers['user-agent'] ?? '',
    ...(bytes.length > 0 && /json/.test(from.headers['content-type'] ?? '')
      ? { body: parseJson(bytes.toString()) }
      : {}),
  }
  await pass(seen)
  const headers = { ...from.headers, authorization: `Bearer ${target.token}` }
  const onward = request(`${target.url}${from.url}`, { method: from.method, headers, agent }, (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    // Watches say little for long: what there is goes on at once.
    to.flushHeaders()
    answer.pipe(to)
    answer.on('end', () => answered(seen))
  })
  onward.on('error', () => to.destroy())
  to.on('close', () => onward.destroy())
  onward.end(bytes)
}

async function closed(server: Server, agent: Agent): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  agent.destroy()
}
