import { LOOPBACK } from '../auth/user.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { createObject } from '../write/createobject.ts'

const FROM_THE_START = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const

/** The namespaces that every cluster has. */
export function bootNamespaces(cluster: EmbeddedCluster): void {
  const kind = cluster.kinds.find('', 'v1', 'namespaces')
  if (!kind) return
  for (const name of FROM_THE_START) {
    const draft = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    kind.rules.defaults?.(draft)
    createObject(cluster, kind, '', draft, {
      manager: 'kube-apiserver',
      user: LOOPBACK,
      dryRun: false,
      validation: 'Ignore',
      force: false,
      warn: () => {},
    })
  }
}
