/** A cluster in virtual time and a client for it, for tests. */
import { connectInProcess } from '../../../kube/src/env/inprocess.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { createApiServer } from './apiserver.ts'
import type { ClusterProfile } from './embeddedcluster.ts'
import type { CommitRecord } from './tracewrites.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
type Loose = any

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Loose
}

export function testCluster(seed = 'test', profile: ClusterProfile = 'cluster') {
  const env = createSimEnv(seed)
  const commits: CommitRecord[] = []
  const server = createApiServer(env, { name: 'test', profile, onCommit: (c) => commits.push(c) })
  const connection = connectInProcess(server.handle)
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> => {
    const type = contentType ?? (body === undefined ? undefined : 'application/json')
    const result = await connection.request({
      method,
      path,
      headers: { ...(type ? { 'content-type': type } : {}), ...headers },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    if (!result.ok) throw new Error(result.error.detail)
    const text = await result.value.text()
    if (!text.ok) throw new Error(text.error.detail)
    const isJson = (result.value.headers['content-type'] ?? '').startsWith('application/json')
    return {
      status: result.value.status,
      headers: result.value.headers,
      body: isJson && text.value ? JSON.parse(text.value) : text.value,
    }
  }
  const apply = (path: string, body: object, manager: string, more = ''): Promise<TestAnswer> =>
    call('PATCH', `${path}?fieldManager=${manager}${more}`, body, 'application/apply-patch+yaml')
  /** Lets everything happen that is due now. */
  const settle = (): Promise<unknown> => env.clock.run(() => false, 0)
  /** Lets time pass. */
  const later = (ms: number): Promise<unknown> => {
    env.clock.at(env.clock.steady() + ms, () => {})
    return env.clock.run(() => false, ms)
  }
  return {
    later,
    env,
    server,
    commits,
    call,
    apply,
    settle,
    watch: (path: string, headers = {}) => openWatch(server, path, headers),
  }
}

export interface WatchedEvent {
  readonly type: string
  readonly object: Loose
}

function openWatch(
  server: ReturnType<typeof createApiServer>,
  path: string,
  headers: Record<string, string>,
) {
  const stop = new AbortController()
  const got: WatchedEvent[] = []
  const state = { ended: false }
  const started = server.handle({
    method: 'GET',
    url: path,
    headers,
    signal: stop.signal,
    body: async () => ({ ok: true, value: new Uint8Array() }),
  })
  const done = started.then(async (response) => {
    if (typeof response.body === 'string' || response.body instanceof Uint8Array) return
    let rest = ''
    for await (const piece of response.body) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) got.push(JSON.parse(line) as WatchedEvent)
    }
    state.ended = true
  })
  return {
    got,
    state,
    done,
    response: started,
    stop: () => stop.abort(),
    /** The first `n` events; fails when they do not come by themselves. */
    async take(n: number): Promise<WatchedEvent[]> {
      for (let i = 0; i < 50 && got.length < n; i++) await new Promise((resolve) => setImmediate(resolve))
      if (got.length < n) throw new Error(`only ${got.length} of ${n} events`)
      return got.slice(0, n)
    },
  }
}
