import { LOOPBACK } from '../auth/user.ts'
import type { Cluster } from '../server/embeddedcluster.ts'
import { create } from '../write/createobject.ts'

const FROM_THE_START = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const

/** The namespaces that every cluster has. */
export function bootNamespaces(cluster: Cluster): void {
  const kind = cluster.kinds.find('', 'v1', 'namespaces')
  if (!kind) return
  for (const name of FROM_THE_START) {
    const draft = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    kind.rules.defaults?.(draft)
    create(cluster, kind, '', draft, {
      manager: 'kube-apiserver',
      user: LOOPBACK,
      dryRun: false,
      validation: 'Ignore',
      force: false,
      warn: () => {},
    })
  }
}
