import { type LookupAddress, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { hostRefusal, isNamedHost, refusedHost } from '../hostrefusal.ts'
import type { NetFailure } from '../net.ts'
import type { HostRefusal, Provenance } from '../provenance.ts'
import { err, ok, type Result } from '../result.ts'

/** Ends the connection that asked for the addresses. */
export class HostRefused extends Error {
  readonly refusal: HostRefusal
  constructor(refusal: HostRefusal) {
    super('host refused')
    this.refusal = refusal
  }
}

/** For `net.connect`: the addresses that were checked are those that are connected to, at every connect. */
export const checkedLookup =
  (port: number, by: Provenance): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
      if (error) return done(error, '', 0)
      const refused = hostRefusal(
        by,
        hostname,
        port,
        found.map((f) => f.address),
      )
      if (refused) return done(new HostRefused(refused), '', 0)
      if (options.all) return done(null, [...found])
      const [first] = found
      done(null, first?.address ?? '', first?.family)
    })
  }

/** `Net.resolve`. */
export function nodeResolve(
  host: string,
  port: number,
  by: Provenance,
): Promise<Result<readonly string[], NetFailure>> {
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) {
        const isNamed = by !== 'operator' && isNamedHost(by, host, port)
        return resolve(isNamed ? ok([]) : err({ phase: 'dns', detail: error.message }))
      }
      const addresses = found.map((f) => f.address)
      const refused = hostRefusal(by, host, port, addresses)
      resolve(refused ? err(refusedHost(refused)) : ok(addresses))
    })
  })
}
