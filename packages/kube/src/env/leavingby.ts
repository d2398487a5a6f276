/** How connections leave this process, for connections of its own and for programs that connect by themselves. */
import type { Egress, Endpoint, Net } from './net.ts'

/** Without a proxy or further authorities. */
export const DIRECT: Egress = { proxyFor: () => undefined, authorities: '', roots: '' }

/** A server that has an authority of its own is trusted by that alone, as kubectl does. */
export function leavingBy({ proxyFor, authorities }: Egress, target: Endpoint): Endpoint {
  const proxy = target.proxy ?? proxyFor(target.url)
  return {
    ...target,
    ...(proxy === undefined ? {} : { proxy }),
    ...(authorities === ''
      ? {}
      : { tls: { ...target.tls, extraCa: joined(authorities, target.tls?.extraCa) } }),
  }
}

/** The same network, where further authorities are trusted. `pem`: empty: the same. */
export function trusting(net: Net, pem: string): Net {
  if (pem === '') return net
  const more: Egress = { ...DIRECT, authorities: pem }
  return {
    ...net,
    egress: { ...net.egress, authorities: joined(net.egress.authorities, pem) },
    connect: (target, by) => net.connect(leavingBy(more, target), by),
  }
}

/** All authorities for a program that also trusts `own`. Undefined: those that it has by itself. */
export function bundleOf({ authorities, roots }: Egress, own: string | undefined): string | undefined {
  return authorities === '' ? own : joined(roots, authorities, own)
}

/** Texts in PEM after each other. */
const joined = (...texts: readonly (string | undefined)[]): string =>
  texts.flatMap((t) => (t === undefined || t === '' ? [] : [t.trimEnd()])).join('\n')
