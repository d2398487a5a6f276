/** The changed objects alone, as server-side applies: the least that any tool needs. */
import { configMapKind, serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind, type Kind, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { unitObjects } from '../../test/requests/layout.ts'
import { inParallel } from './inparallel.ts'
import type { Peer, PeerPlace } from './peer.ts'

const KINDS: Readonly<Record<string, Kind<KubeObject>>> = {
  ConfigMap: configMapKind as Kind<KubeObject>,
  ServiceAccount: serviceAccountKind,
  Service: defineKind({ group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true }),
  Deployment: defineKind({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    plural: 'deployments',
    namespaced: true,
  }),
}
const USER = { purpose: 'user', manager: 'bench', force: true, precondition: 'any' } as const

export function startRaw({ client }: PeerPlace): Peer {
  return {
    name: 'raw',
    pids: {},
    async release(units, version) {
      const objects = units.flatMap(({ name }) =>
        unitObjects(`raw-${name}`, version),
      ) as unknown as KubeObject[]
      const begun = performance.now()
      await inParallel(objects, async (o) => {
        const done = await client.apply(KINDS[o.kind]!, o, USER)
        if (!done.ok) throw new Error(JSON.stringify(done.error))
      })
      return { writing: 0, delivering: performance.now() - begun }
    },
    stop: async () => {},
  }
}
