/** `--allow-cluster-proxy`: proxies that kubeconfigs on the hub may name. */

import type { Result } from '@lockstep/kube/env'
import { type ClusterProxy, parseClusterProxy } from '../../../fleet/kubeconfig/index.ts'
import { type CliFailure, type Flags, failed, type Option } from '../index.ts'

export const allowClusterProxyOption: Option = {
  flags: '--allow-cluster-proxy <host>',
  text: 'proxy that a kubeconfig on the hub may name in proxy-url, as HOST[:PORT]',
  repeats: true,
}

export function clusterProxiesOf(flags: Flags): Result<ClusterProxy[], CliFailure> {
  const all: ClusterProxy[] = []
  for (const text of (flags.allowClusterProxy ?? []) as readonly string[]) {
    const parsed = parseClusterProxy(text)
    if (!parsed.ok)
      return failed('E_USAGE', {
        problem: `--allow-cluster-proxy ${text}: ${parsed.error}`,
        suggestion: 'for example: proxy.example.com:3128',
      })
    all.push(parsed.value)
  }
  return { ok: true, value: all }
}
