/** The real outside world, where objects of namespaces may name servers of tests, which are on loopback. */

import type { Env } from '../../packages/kube/src/env/env.ts'
import { allowingHosts, LOOPBACK } from '../../packages/kube/src/env/hostrefusal.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { quiet } from './subjects.ts'

export function loopbackEnv(): Env {
  const env = createNodeEnv(quiet)
  return { ...env, net: allowingHosts(env.net, LOOPBACK) }
}
