/** Git over HTTPS on loopback: git's own http-backend behind a small CGI bridge, with what tests need to go wrong. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const tls = join(import.meta.dirname, 'tls')

export interface GitServer {
  readonly url: string
  /** PEM of the CA that its certificate is checked with. */
  readonly ca: string
  /** `METHOD path?query` of each request so far. */
  readonly requests: string[]
  /** Bytes that git has answered so far. */
  readonly sent: number
  /** Answers itself and returns true, or leaves the request to git. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

/** Serves every repository below `root`, as `<url>/<name>`. */
export async function serveGit(root: string): Promise<GitServer> {
  const requests: string[] = []
  let sent = 0
  const server = createServer(
    { cert: readFileSync(join(tls, 'cert.pem')), key: readFileSync(join(tls, 'key.pem')) },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`)
      if (!handle.intercept?.(request, response)) backend(root, request, response, (bytes) => (sent += bytes))
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const handle: GitServer = {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca: readFileSync(join(tls, 'cert.pem'), 'utf8'),
    requests,
    get sent() {
      return sent
    },
    intercept: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return handle
}

function backend(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  count: (bytes: number) => void,
): void {
  const url = new URL(request.url ?? '/', 'https://localhost')
  const { headers } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_CONFIG_KEY_1: 'safe.directory',
      GIT_CONFIG_VALUE_1: '*',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  let head = Buffer.alloc(0)
  let isHead = true
  child.stdout.on('data', (chunk: Buffer) => {
    count(chunk.length)
    if (!isHead) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    isHead = false
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name, value] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]
      if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
  })
  child.on('close', () => response.end())
}
