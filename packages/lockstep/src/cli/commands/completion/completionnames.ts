/** Names for completion: from the API and the kubeconfig, in a moment or not at all. */

import { namespaceKind } from '@lockstep/kube/kinds'
import type { Kind } from '@lockstep/kube/object'
import {
  ADDONS_GROUP,
  ADDONS_VERSIONS,
  bootstrapModuleKind,
  moduleKind,
  type OwnKind,
  pipelineKind,
} from '../../../api/kinds/index.ts'
import { listClusters, openHub, readKubeconfigs } from '../../kit/hub/index.ts'
import type { CommandContext } from '../../kit/index.ts'

/** More than that nobody reads. */
const MOST = 500

export interface CompletionNames {
  of(kind: OwnKind): Promise<readonly string[]>
  modules(): Promise<readonly string[]>
  clusters(): Promise<readonly string[]>
  namespaces(): Promise<readonly string[]>
  contexts(): Promise<readonly string[]>
  /** Of a pipeline. */
  environments(pipeline: string): Promise<readonly string[]>
}

/** `c.signal` ends the asking: what has not come by then is left out. */
export function createCompletionNames(c: CommandContext): CompletionNames {
  const list = async (kind: Kind, labelSelector?: string): Promise<string[]> => {
    const hub = await openHub(c)
    if (!hub.ok) return []
    const { client, namespace } = hub.value
    const found = await client.list(kind, {
      purpose: 'user',
      signal: c.signal,
      limit: MOST,
      ...(kind.namespaced ? { namespace } : {}),
      ...(labelSelector ? { labelSelector } : {}),
    })
    return found.ok ? found.value.items.map((o) => o.metadata.name) : []
  }
  return {
    of: async (kind) => {
      // Which version of Cluster API's kinds the hub serves is found by asking for them.
      const versions = kind.group === ADDONS_GROUP ? ADDONS_VERSIONS : [kind.version]
      return (await Promise.all(versions.map((version) => list({ ...kind, version })))).find(isNotEmpty) ?? []
    },
    modules: async () => (await Promise.all([list(moduleKind), list(bootstrapModuleKind)])).flat(),
    clusters: async () => {
      const hub = await openHub(c)
      const found = hub.ok ? await listClusters(c, hub.value, { namespace: hub.value.namespace }) : hub
      return found.ok ? found.value.map((x) => x.view.name) : []
    },
    namespaces: () => list(namespaceKind),
    environments: async (name) => {
      const hub = await openHub(c)
      if (!hub.ok) return []
      const { client, namespace } = hub.value
      const found = await client.get(pipelineKind, { namespace, name }, { purpose: 'user', signal: c.signal })
      return found.ok ? found.value.spec.environments.map((e) => e.name) : []
    },
    contexts: async () => {
      const read = await readKubeconfigs(c)
      return read.ok ? [...read.value.config.contexts.keys()] : []
    },
  }
}

const isNotEmpty = (names: readonly string[]): boolean => names.length > 0
