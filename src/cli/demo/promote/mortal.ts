/** An environment that ends as with `kill -9`: timers never fire again, and nothing that was under way is heard of. */
import type { Env } from '../../../env/env.ts'
import type { Connection } from '../../../env/net.ts'

export interface Mortal {
  readonly env: Env
  /** Directories that it has made for itself. */
  readonly dirs: readonly string[]
  kill(): void
}

/** A new one each time: one for all would hold on to everything that ever waited for it. */
const never = (): Promise<never> => new Promise(() => {})

export function mortal(env: Env): Mortal {
  let alive = true
  const dirs: string[] = []
  const connections = new Set<Connection>()
  const answered = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!alive) return never()
    const answer = await work()
    return alive ? answer : never()
  }
  return {
    dirs,
    env: {
      ...env,
      clock: {
        now: () => env.clock.now(),
        steady: () => env.clock.steady(),
        at: (ms, fn) => env.clock.at(ms, () => alive && fn()),
      },
      net: {
        ...env.net,
        connect(target) {
          const inner = env.net.connect(target)
          connections.add(inner)
          return { request: (r) => answered(() => inner.request(r)), close: () => inner.close() }
        },
      },
      files: {
        ...env.files,
        async tempDir(prefix) {
          const made = await env.files.tempDir(prefix)
          if (made.ok) dirs.push(made.value)
          return made
        },
      },
      processes: {
        find: (program) => answered(() => env.processes.find(program)),
        run: (program, args, o) => answered(() => env.processes.run(program, args, o)),
      },
    },
    kill() {
      alive = false
      for (const c of connections) void c.close()
    },
  }
}
