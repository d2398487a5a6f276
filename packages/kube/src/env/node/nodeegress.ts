import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import type { Log } from '../env.ts'
import type { Egress } from '../net.ts'
import { proxiesOf } from './proxiesof.ts'

/** By the variables of this process. Node reads `NODE_EXTRA_CA_CERTS` for itself alone: not where an endpoint has authorities. */
export function nodeEgress(log: Log): Egress {
  const { proxyFor, problems } = proxiesOf(process.env)
  for (const problem of problems) log.warn('a proxy is not used', { problem })
  return {
    proxyFor,
    authorities: extraAuthorities(process.env.NODE_EXTRA_CA_CERTS),
    roots: rootCertificates.join('\n'),
  }
}

/** Node itself reports a file that it cannot read, and continues. */
function extraAuthorities(path: string | undefined): string {
  if (!path) return ''
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
