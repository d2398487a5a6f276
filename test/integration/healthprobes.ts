/** Probes of `/livez` and `/readyz`, as a kubelet sends them to a process of controllers. */
import type { Replica } from './controllerreplicas.ts'

const TRIES = 600
const BETWEEN_MS = 500

interface ProbeAnswer {
  readonly status: number
  readonly body: string
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Undefined: no answer in time. */
export async function probe(replica: Replica, path: string, ms = 1000): Promise<ProbeAnswer | undefined> {
  const { address } = await replica.said('serves health checks')
  try {
    const answer = await fetch(`${String(address)}${path}`, { signal: AbortSignal.timeout(ms) })
    return { status: answer.status, body: await answer.text() }
  } catch {
    return undefined
  }
}

/** Probes until the answer has this status and text: on a busy machine one may be late. */
export async function untilStatus(
  replica: Replica,
  path: string,
  status: number,
  text = /^/,
): Promise<string> {
  let last: ProbeAnswer | undefined
  for (let i = 0; i < TRIES; i++) {
    last = await probe(replica, path)
    if (last?.status === status && text.test(last.body)) return last.body
    await pause(BETWEEN_MS)
  }
  throw new Error(`${path} is not ${status} ${text}: ${JSON.stringify(last)}`)
}

export interface ReadinessWatch {
  /** Ends the probes. Answers with another status than 200, in order; at least one answer was 200. */
  stop(): Promise<readonly string[]>
}

/** Probes a process that is ready, over and over. An answer that takes ten seconds counts as none. */
export function watchReadiness(replica: Replica): ReadinessWatch {
  const failures: string[] = []
  const state = { isOver: false, ready: 0 }
  const loop = async (): Promise<void> => {
    do {
      const answer = await probe(replica, '/readyz?verbose', 10_000)
      if (answer?.status === 200) state.ready++
      else failures.push(answer?.body ?? 'no answer')
      await pause(BETWEEN_MS / 2)
    } while (!state.isOver)
  }
  const done = loop()
  return {
    async stop() {
      state.isOver = true
      await done
      if (state.ready === 0) failures.push('never ready')
      return failures
    },
  }
}
