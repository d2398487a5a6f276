/** Hosts that a process connects to, or resolves for programs. */
import type { Env } from '../../packages/kube/src/env/env.ts'
import { bareHost } from '../../packages/kube/src/env/hostrefusal.ts'

/** The same environment, and `host:port` of all that it contacts. */
export function recordingContacts(env: Env): { readonly env: Env; readonly contacts: ReadonlySet<string> } {
  const contacts = new Set<string>()
  const { net } = env
  return {
    contacts,
    env: {
      ...env,
      net: {
        ...net,
        connect(target, by) {
          const { hostname, port } = new URL(target.url)
          contacts.add(`${bareHost(hostname)}:${port}`)
          return net.connect(target, by)
        },
        resolve(host, port, by) {
          contacts.add(`${host}:${port}`)
          return net.resolve(host, port, by)
        },
      },
    },
  }
}

/** Those that no server of a test has: its servers are on loopback, with a port that the system gave them. */
export const strangers = (contacts: ReadonlySet<string>): string[] =>
  [...contacts].filter((c) => !/^(localhost|127\.0\.0\.1):\d{4,5}$/.test(c))
