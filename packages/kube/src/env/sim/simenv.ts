/**
 * A deterministic outside world: virtual time, seeded chance, servers inside the process, files in memory.
 * The same seed gives the same run.
 */

import { cronCalendar } from '../calendar.ts'
import type { Clock, Env, Files, Log, LogFields, MemoryMeters } from '../env.ts'
import { hostOf, hostRefusal, refusedHost } from '../hostrefusal.ts'
import { connectInProcess, type InProcessWire } from '../inprocess.ts'
import { DIRECT } from '../leavingby.ts'
import { createMeters } from '../meters.ts'
import { type Connection, type Endpoint, type Handler, type Net, StreamBroken } from '../net.ts'
import { noProcesses } from '../processes.ts'
import type { HostRefusal, Provenance } from '../provenance.ts'
import { err, ok } from '../result.ts'
import { sentHeaders } from '../sentheaders.ts'
import { unsupervised } from '../supervise.ts'
import { noThreads } from '../threads.ts'
import { seededRandom } from './seededrandom.ts'
import { createSimClock, type SimClock } from './simclock.ts'

export interface SimEnv extends Env {
  readonly clock: SimClock
  readonly net: SimNet
  readonly meters: MemoryMeters
  readonly lines: readonly LogLine[]
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: LogFields
}

export interface SimNet extends Net {
  /** Makes a handler reachable under `url` (scheme and host; what follows is the path). */
  serve(url: string, handler: Handler): void
  /** Addresses of a host name. Namespaces may connect to names without any. */
  name(host: string, addresses: readonly string[]): void
  /** From now on nothing listens there: connections are refused. */
  unserve(url: string): void
  /** Faults for requests to servers under this URL. */
  wire(url: string, wire: InProcessWire | undefined): void
  /** Resets what is open there: streams break, as when a server goes. */
  cut(url: string): void
}

/** `from`: milliseconds of virtual time that have passed already. */
export function createSimEnv(seed: string, from = 0): SimEnv {
  const lines: LogLine[] = []
  const clock = createSimClock(settleMicrotasks, from)
  return {
    clock,
    random: seededRandom(seed),
    net: createSimNet(clock),
    files: createMemoryFiles(),
    processes: noProcesses,
    threads: noThreads,
    log: memoryLog(lines, {}),
    meters: createMeters(),
    calendar: cronCalendar,
    supervisor: unsupervised,
    lines,
  }
}

/** Every promise that can settle has settled when the event loop comes round: nothing here waits for real I/O. */
function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function createSimNet(clock: Clock): SimNet {
  const servers = new Map<string, Handler>()
  const wires = new Map<string, InProcessWire>()
  const streams = new Map<string, Set<() => void>>()
  const names = new Map([['localhost', ['127.0.0.1', '::1']]])
  const originOf = (url: string): string => new URL(url).origin
  /** Numbers are addresses, as resolvers read them. */
  const addressesOf = (text: string): readonly string[] => {
    const { host } = hostOf({ url: `https://${text.includes(':') ? `[${text}]` : text}` })
    return names.get(host) ?? [host]
  }
  const refusedBy = (target: Endpoint, by: Provenance): HostRefusal | undefined => {
    const { host, port } = hostOf(target)
    return hostRefusal(by, host, port, addressesOf(host))
  }
  return {
    name: (host, addresses) => void names.set(host, [...addresses]),
    serve: (url, handler) => void servers.set(originOf(url), handler),
    unserve: (url) => void servers.delete(originOf(url)),
    wire: (url, wire) => void (wire ? wires.set(originOf(url), wire) : wires.delete(originOf(url))),
    cut(url) {
      for (const cut of [...(streams.get(originOf(url)) ?? [])]) cut()
    },
    connect: (target, by) => {
      const host = originOf(target.url)
      const open = streams.get(host) ?? new Set()
      streams.set(host, open)
      return simConnection(
        target,
        { servers, wires, clock, host, refused: () => refusedBy(target, by) },
        open,
      )
    },
    async resolve(host, port, by) {
      const addresses = addressesOf(host)
      const refused = hostRefusal(by, host, port, addresses)
      return refused ? err(refusedHost(refused)) : ok(addresses)
    },
    async listen(options, handler) {
      const url = `http://${options.host}:${options.port === 0 ? 20000 + servers.size : options.port}`
      if (servers.has(url)) return err({ phase: 'connect', detail: `address in use: ${url}` })
      servers.set(url, handler)
      return ok({ url, close: async () => void servers.delete(url) })
    },
    egress: DIRECT,
  }
}

interface SimServer {
  readonly servers: ReadonlyMap<string, Handler>
  readonly wires: ReadonlyMap<string, InProcessWire>
  readonly host: string
  /** At every connect: a name may resolve to another address by then. */
  readonly refused: () => HostRefusal | undefined
  readonly clock: Clock
}

function simConnection(
  target: Endpoint,
  { servers, wires, clock, host, refused }: SimServer,
  streams: Set<() => void>,
): Connection {
  const prefix = new URL(target.url).pathname.replace(/\/$/, '')
  const handler: Handler = (request) => (servers.get(host) as Handler)(request)
  const inner = connectInProcess(handler, {
    clock,
    async before(request) {
      const refusal = refused()
      if (refusal) return refusedHost(refusal)
      if (!servers.has(host))
        return { phase: 'connect', detail: `connect ECONNREFUSED ${new URL(host).host}` }
      return wires.get(host)?.before?.(request)
    },
    async after(request, response) {
      return wires.get(host)?.after?.(request, response)
    },
  })
  return {
    async request(r) {
      const headers = sentHeaders(target, r.headers)
      const sent = await inner.request({ ...r, path: prefix + r.path, headers })
      if (!sent.ok) return sent
      return ok({ ...sent.value, lines: () => breakable(sent.value.lines(), streams) })
    },
    close: (when) => inner.close(when),
  }
}

const RESET = { phase: 'receive', detail: 'read ECONNRESET' } as const

async function* breakable(lines: AsyncIterable<string>, streams: Set<() => void>): AsyncIterable<string> {
  const iterator = lines[Symbol.asyncIterator]()
  let cut = (): void => {}
  const reset = new Promise<'reset'>((resolve) => {
    cut = () => resolve('reset')
  })
  streams.add(cut)
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), reset])
      if (step === 'reset') throw new StreamBroken(RESET)
      if (step.done) return
      yield step.value
    }
  } finally {
    streams.delete(cut)
    void iterator.return?.()?.catch(() => {})
  }
}

function createMemoryFiles(): Files {
  const content = new Map<string, Uint8Array>()
  let dirs = 0
  const missing = (path: string) => err({ kind: 'NotFound' as const, path, message: `${path}: no such file` })
  return {
    async read(path) {
      const found = content.get(path)
      return found ? ok(found) : missing(path)
    },
    async writeAtomic(path, data) {
      content.set(path, typeof data === 'string' ? new TextEncoder().encode(data) : data)
      return ok(undefined)
    },
    async list(path) {
      const prefix = path.endsWith('/') ? path : `${path}/`
      const names = new Map<string, 'file' | 'directory'>()
      for (const key of content.keys()) {
        if (!key.startsWith(prefix)) continue
        const [first, ...more] = key.slice(prefix.length).split('/')
        if (first) names.set(first, more.length > 0 ? 'directory' : 'file')
      }
      if (names.size === 0) return missing(path)
      return ok([...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, kind]) => ({ name, kind })))
    },
    async realPath(path) {
      const isThere = [...content.keys()].some((key) => key === path || key.startsWith(`${path}/`))
      return isThere ? ok(path) : missing(path)
    },
    async remove(path) {
      return content.delete(path) ? ok(undefined) : missing(path)
    },
    async tempDir(prefix) {
      return ok(`/tmp/${prefix}${++dirs}`)
    },
    async removeTree(path) {
      for (const key of content.keys()) if (key === path || key.startsWith(`${path}/`)) content.delete(key)
      return ok(undefined)
    },
  }
}

function memoryLog(lines: LogLine[], base: LogFields): Log {
  const at =
    (level: LogLine['level']) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields: { ...base, ...fields } })
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => memoryLog(lines, { ...base, ...fields }),
  }
}
