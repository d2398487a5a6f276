/** The Pod simulator as a client of a real API server. */
import type { Kind } from '../../src/api/kind.ts'
import { podKind } from '../../src/api/kinds/foreign.ts'
import type { WorldApi } from '../../src/apiserver/world/api.ts'
import type { Env } from '../../src/env/env.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { startInformer } from '../../src/kube/informer.ts'
import { type KubeObject, keyOf } from '../../src/object/object.ts'

const WRITE = { why: 'user', manager: 'kubelet' } as const
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
    update: (object) => void client.replace(podKind, object as never, WRITE),
    writeStatus: (object) =>
      void client.replace(podKind, object as never, { ...WRITE, subresource: 'status' }),
    remove: (resource, object) =>
      void client.delete(KINDS[resource]!, keyOf(object), { ...WRITE, fence: 'any' }),
  }
}
