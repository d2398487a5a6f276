/** Classes before what names them. */
import { at, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { manifestName } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedRule, kindsOf, NO_EDGES } from './impliedrule.ts'
import { podSpecOf } from './podspec.ts'

export const classesOfPod: ImpliedRule = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NO_EDGES
  const priority = manifestName(at(podSpec, 'priorityClassName'))
  const runtime = manifestName(at(podSpec, 'runtimeClassName'))
  return [
    ...(priority
      ? edgesBefore(
          [index.find('scheduling.k8s.io', 'PriorityClass', undefined, priority)],
          to,
          'priorityClassName',
        )
      : NO_EDGES),
    ...(runtime
      ? edgesBefore([index.find('node.k8s.io', 'RuntimeClass', undefined, runtime)], to, 'runtimeClassName')
      : NO_EDGES),
  ]
}

interface ClassReference {
  readonly group: string
  readonly kind: string
  readonly name: (o: KubeObject) => string | undefined
  readonly why: string
}

const inSpec =
  (field: string) =>
  (o: KubeObject): string | undefined =>
    manifestName(at(o, 'spec', field))

const INGRESS = 'kubernetes.io/ingress.class'
const snapshots: ClassReference = {
  group: 'snapshot.storage.k8s.io',
  kind: 'VolumeSnapshotClass',
  name: inSpec('volumeSnapshotClassName'),
  why: 'volumeSnapshotClassName',
}

/** By `group/Kind` of who names it. */
const NAMING: ReadonlyMap<string, ClassReference> = new Map([
  [
    'networking.k8s.io/Ingress',
    {
      group: 'networking.k8s.io',
      kind: 'IngressClass',
      name: (o) => inSpec('ingressClassName')(o) ?? manifestName(at(o.metadata.annotations, INGRESS)),
      why: 'ingressClassName',
    },
  ],
  [
    'gateway.networking.k8s.io/Gateway',
    {
      group: 'gateway.networking.k8s.io',
      kind: 'GatewayClass',
      name: inSpec('gatewayClassName'),
      why: 'gatewayClassName',
    },
  ],
  ['snapshot.storage.k8s.io/VolumeSnapshot', snapshots],
  ['snapshot.storage.k8s.io/VolumeSnapshotContent', snapshots],
])

export const NAMING_KINDS = kindsOf(NAMING)

export const classOfObject: ImpliedRule = (to, index) => {
  const naming = NAMING.get(`${parseApiVersion(to.apiVersion).group}/${to.kind}`)
  const name = naming?.name(to)
  if (!naming || !name) return NO_EDGES
  return edgesBefore([index.find(naming.group, naming.kind, undefined, name)], to, naming.why)
}
