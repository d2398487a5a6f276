/** The Pod simulator as a client of a real API server. */

import { startInformer } from '../../packages/kube/src/cache/informer.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { podKind } from '../../packages/kube/src/kinds/types.ts'
import { type KubeObject, keyOf } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import type { WorldApi } from '../../packages/simulators/src/workloads/worldapi.ts'

const WRITE = { purpose: 'user', manager: 'kubelet' } as const
const KINDS: Readonly<Record<string, Kind>> = { pods: podKind }

export function kubeWorldApi(env: Env, client: KubeClient): WorldApi {
  return {
    follow(resource, fn) {
      const informer = startInformer<KubeObject, KubeObject>(env, client, {
        kind: KINDS[resource]!,
        project: (o) => o,
      })
      informer.store.subscribe(({ before, after }) => fn((after ?? before)!, after === undefined))
      return () => informer.stop()
    },
    create: (object) => void client.create(podKind, object, WRITE),
    update: (object) => void client.update(podKind, object as never, WRITE),
    writeStatus: (object) =>
      void client.update(podKind, object as never, { ...WRITE, subresource: 'status' }),
    remove: (resource, object) =>
      void client.delete(KINDS[resource]!, keyOf(object), { ...WRITE, precondition: 'any' }),
  }
}
