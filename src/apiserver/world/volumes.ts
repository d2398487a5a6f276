import { at } from '../../object/object.ts'
import type { Engine } from './engine.ts'

/** Claims are bound; load balancers get an address. */
export function runVolumesAndServices(engine: Engine): void {
  engine.control('persistentvolumeclaims', (claim) => {
    if (at(claim, 'status', 'phase') === 'Bound' || claim.metadata.deletionTimestamp !== undefined) return
    engine.report(claim, {
      phase: 'Bound',
      accessModes: at(claim, 'spec', 'accessModes') ?? [],
      capacity: at(claim, 'spec', 'resources', 'requests') ?? {},
    })
  })
  engine.control('services', (service) => {
    if (at(service, 'spec', 'type') !== 'LoadBalancer' || service.metadata.deletionTimestamp !== undefined)
      return
    if (at(service, 'status', 'loadBalancer', 'ingress') !== undefined) return
    engine.report(service, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } })
  })
}
