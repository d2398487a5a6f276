import { fork } from 'node:child_process'
import type { Endpoint } from '../packages/kube/src/env/net.ts'
import type { FromServers, ToServers } from './servers.ts'

/** Servers in a process of their own. */
export interface Servers {
  readonly hub: Endpoint
  readonly c0: Endpoint
  /** From now on it measures: `done` has the milliseconds once both ends were seen. */
  arm(what: 'edge' | 'raw', release: string): Promise<{ readonly done: Promise<number> }>
  stop(): Promise<void>
}

/** `script`: the bundle of `servers.ts`. Clusters are `c0`, `c1` and so on. */
export function startServers(script: string, clusters = 1): Promise<Servers> {
  const child = fork(script, [String(clusters)])
  const say = (m: ToServers): boolean => child.send(m)
  return new Promise((resolve) => {
    let seen: (ms: number) => void = () => {}
    let armed: () => void = () => {}
    child.on('message', (m: FromServers) => {
      if (m.type === 'measured') return seen(m.ms)
      if (m.type === 'armed') return armed()
      resolve({
        hub: m.hub,
        c0: m.c0,
        async arm(what, release) {
          const done = new Promise<number>((found) => {
            seen = found
          })
          await new Promise<void>((ready) => {
            armed = ready
            say({ type: 'measure', what, release })
          })
          return { done }
        },
        stop: () =>
          new Promise((gone) => {
            child.once('exit', () => gone())
            say({ type: 'stop' })
          }),
      })
    })
  })
}
