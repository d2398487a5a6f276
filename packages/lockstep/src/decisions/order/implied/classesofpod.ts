/** Classes before what names them. */
import { at, type KubeObject, parseApiVersion } from '../../../../../kube/src/object/index.ts'
import { named } from '../manifestvalues.ts'
import { podSpecOf } from './podspec.ts'
import { before, kindsOf, NONE, type Row } from './impliedrule.ts'

export const classesOfPod: Row = (to, index) => {
  const podSpec = podSpecOf(to)
  if (podSpec === undefined) return NONE
  const priority = named(at(podSpec, 'priorityClassName'))
  const runtime = named(at(podSpec, 'runtimeClassName'))
  return [
    ...(priority
      ? before(
          [index.find('scheduling.k8s.io', 'PriorityClass', undefined, priority)],
          to,
          'priorityClassName',
        )
      : NONE),
    ...(runtime
      ? before([index.find('node.k8s.io', 'RuntimeClass', undefined, runtime)], to, 'runtimeClassName')
      : NONE),
  ]
}

interface Naming {
  readonly group: string
  readonly kind: string
  readonly name: (o: KubeObject) => string | undefined
  readonly why: string
}

const inSpec =
  (field: string) =>
  (o: KubeObject): string | undefined =>
    named(at(o, 'spec', field))

const INGRESS = 'kubernetes.io/ingress.class'
const snapshots: Naming = {
  group: 'snapshot.storage.k8s.io',
  kind: 'VolumeSnapshotClass',
  name: inSpec('volumeSnapshotClassName'),
  why: 'volumeSnapshotClassName',
}

/** By `group/Kind` of who names it. */
const NAMING: ReadonlyMap<string, Naming> = new Map([
  [
    'networking.k8s.io/Ingress',
    {
      group: 'networking.k8s.io',
      kind: 'IngressClass',
      name: (o) => inSpec('ingressClassName')(o) ?? named(at(o.metadata.annotations, INGRESS)),
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

export const classOfObject: Row = (to, index) => {
  const naming = NAMING.get(`${parseApiVersion(to.apiVersion).group}/${to.kind}`)
  const name = naming?.name(to)
  if (!naming || !name) return NONE
  return before([index.find(naming.group, naming.kind, undefined, name)], to, naming.why)
}
