/** A network between one process and its servers that can hold watches and requests back: what the process knows grows old. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { type Connection, type Net, type NetResponse, StreamBroken } from '../../packages/kube/src/env/net.ts'
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { SimFleet } from './simfleet.ts'

export class HeldWatches {
  /** All requests of the process, as `METHOD path`. */
  readonly requests: string[] = []
  private held: ReadonlySet<string> = new Set()
  private forbidden: ReadonlySet<string> = new Set()
  private changed = Promise.resolve()
  private announce = () => {}

  /**
   * Events of these resources, and of no others, come no more; others that were held come now, in their order. So for
   * requests, as `GET /apis`.
   */
  hold(...resources: readonly string[]): void {
    this.held = new Set(resources)
    this.announce()
    this.changed = new Promise((resolve) => {
      this.announce = resolve
    })
  }

  /** The right to read what is at these paths, of all servers or of the one in front of the path, is lacking, and no other. */
  forbid(...paths: readonly string[]): void {
    this.forbidden = new Set(paths)
  }

  /** A process of controllers behind this network. */
  startController(fleet: SimFleet): Manager {
    const env = this.surroundings(fleet.env)
    const hub = env.net.connect({ url: 'https://hub.test' }, 'operator')
    return startManager(env, createHttpClient(env, 'hub', hub, 'lockstep-controller'))
  }

  /** Those of a process behind this network. */
  surroundings(env: SimEnv): SimEnv {
    return { ...env, net: this.around(env.net) }
  }

  around<N extends Net>(net: N): N {
    return { ...net, connect: (endpoint, by) => this.connection(net.connect(endpoint, by), endpoint.url) }
  }

  private connection(inner: Connection, url: string): Connection {
    return {
      close: () => inner.close(),
      request: async (request) => {
        const [path = '', query = ''] = request.path.split('?')
        this.requests.push(`${request.method} ${path}`)
        while (this.held.has(`${request.method} ${path}`)) await this.changed
        if (this.forbidden.has(path) || this.forbidden.has(url + path))
          return { ok: true, value: forbidden(path) }
        const sent = await inner.request(request)
        const isWatch = /\bwatch=true\b/.test(query)
        const resource = path.slice(path.lastIndexOf('/') + 1)
        return sent.ok && isWatch
          ? { ok: true, value: this.slow(sent.value, resource, request.signal) }
          : sent
      },
    }
  }

  private slow(response: NetResponse, resource: string, signal: AbortSignal | undefined): NetResponse {
    const self = this
    const given = new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
    return {
      ...response,
      async *lines() {
        for await (const line of response.lines()) {
          while (self.held.has(resource)) {
            if (signal?.aborted) throw new StreamBroken({ phase: 'aborted', detail: 'aborted' })
            await Promise.race([self.changed, given])
          }
          yield line
        }
      },
    }
  }
}

/** As an API server says no (apimachinery `errors.NewForbidden`). */
function forbidden(path: string): NetResponse {
  const message = `User "lockstep" cannot read ${path}`
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    reason: 'Forbidden',
    code: 403,
  }
  const body = JSON.stringify(status)
  return {
    status: 403,
    headers: { 'content-type': 'application/json' },
    text: async () => ({ ok: true, value: body }),
    async *pieces() {
      yield new TextEncoder().encode(body)
    },
    async *boundedPieces() {
      yield new TextEncoder().encode(body)
    },
    async *lines() {
      yield body
    },
  }
}
