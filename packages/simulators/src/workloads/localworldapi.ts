import type { LocalApi } from '@lockstep/apiserver/server'
import type { WorldApi } from './worldapi.ts'

const MANAGER = 'kube-controller-manager'

/** The world on a server of this process. */
export function localWorldApi(local: LocalApi): WorldApi {
  return {
    follow(resource, fn) {
      for (const object of local.list(resource)) fn(object, false)
      return local.watch(resource, (e) => fn(e.object, e.type === 'DELETED'))
    },
    create: (object) => void local.create(object, MANAGER),
    update: (object) => void local.update(object, MANAGER),
    writeStatus: (object) => void local.updateStatus(object, MANAGER),
    remove: (resource, { metadata }) =>
      void local.delete(resource, metadata.namespace ?? '', metadata.name ?? '', MANAGER, {
        graceSeconds: 0,
      }),
  }
}
