import { at, isArray, type KubeObject } from '@lockstep/kube/object'
import type { Engine } from './engine.ts'

/** Claims are bound, of some classes only once a Pod mounts them; load balancers get an address. */
export function runVolumesAndServices(engine: Engine): void {
  engine.follow('pods')
  engine.follow('storageclasses.storage.k8s.io')
  engine.control('persistentvolumeclaims', (claim) => {
    if (at(claim, 'status', 'phase') === 'Bound' || claim.metadata.deletionTimestamp !== undefined) return
    if (waitsForPod(engine, claim)) {
      engine.report(claim, { phase: 'Pending' })
      return
    }
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

function waitsForPod(engine: Engine, claim: KubeObject): boolean {
  const name = at(claim, 'spec', 'storageClassName')
  const found = engine.all('storageclasses.storage.k8s.io').find((o) => o.metadata.name === name)
  if (!found || at(found, 'volumeBindingMode') !== 'WaitForFirstConsumer') return false
  return !engine.all('pods').some((pod) => claimsOf(pod).some((c) => isSame(c, claim)))
}

const isSame = (a: Pick<KubeObject, 'metadata'>, { metadata }: KubeObject): boolean =>
  a.metadata.name === metadata.name && a.metadata.namespace === metadata.namespace

/** Claims that a Pod mounts, by name. */
function claimsOf(pod: KubeObject): Pick<KubeObject, 'metadata'>[] {
  const volumes = at(pod, 'spec', 'volumes')
  const names = (isArray(volumes) ? volumes : []).map((v) => at(v, 'persistentVolumeClaim', 'claimName'))
  const { namespace } = pod.metadata
  return names.flatMap((name) =>
    typeof name === 'string' ? [{ metadata: { name, ...(namespace ? { namespace } : {}) } }] : [],
  )
}

/** A Pod has come: what it mounts may be bound. */
export function bindFor(engine: Engine, pod: KubeObject): void {
  for (const { metadata } of claimsOf(pod)) {
    const claim = engine.get('persistentvolumeclaims', `${metadata.namespace}/${metadata.name}`)
    if (claim && at(claim, 'status', 'phase') !== 'Bound')
      engine.again('persistentvolumeclaims', claim, engine.context.delays.notice)
  }
}
