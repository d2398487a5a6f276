/** Whose requests count together: by the address of their socket, or by what a proxy that is trusted says of it. */

import { err, ok, type Result } from '@lockstep/kube/env'
import {
  addressText,
  holds,
  type IpAddress,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
} from '@lockstep/kube/fields'

/** One network of IPv6, as providers give it to one customer (RFC 6177: at least a /64). */
const IPV6_BITS = 64

/** `10.0.0.0/8,fd00::/8,192.0.2.1`; the problem is for people. */
export function trustedProxies(text: string): Result<readonly Prefix[], string> {
  const out: Prefix[] = []
  for (const part of text.split(',').map((p) => p.trim())) {
    const prefix = part.includes('/') ? parsePrefix(part) : wholeAddress(part)
    if (!prefix || 'complaint' in prefix) return err(`"${part}" is no address and no network`)
    out.push(prefix)
  }
  return ok(out)
}

function wholeAddress(text: string): Prefix | undefined {
  const address = addressOf(text)
  return address && { address, bits: address.length * 8 }
}

/** An IPv4 address is the same whether it came over IPv6 or not. */
function addressOf(text: string): IpAddress | undefined {
  const read = parseAddress(text.trim())
  if ('complaint' in read) return undefined
  return isMapped(read.address) ? read.address.slice(12) : read.address
}

/**
 * The last address of `X-Forwarded-For` that is no proxy of ours, where the socket's is one; each proxy adds to its end whom it
 * has seen. What others write there does not count, nor does any other header.
 */
export function callerOf(
  socket: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly Prefix[],
): string {
  const isTrusted = (a: IpAddress) => trusted.some((p) => holds(p, a))
  let caller = addressOf(socket ?? '')
  if (!caller) return socket ?? ''
  const hops = (forwardedFor ?? '').split(',').reverse()
  for (const hop of hops) {
    const before = addressOf(hop)
    if (!before || !isTrusted(caller)) break
    caller = before
  }
  if (caller.length === 4) return addressText(caller)
  return `${addressText(masked(caller, IPV6_BITS))}/${IPV6_BITS}`
}
