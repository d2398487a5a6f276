/** Services before who sends to them by name. */
import { at, type JsonValue, type KubeObject, parseApiVersion } from '../../../../../kube/src/object/index.ts'
import { list, named } from '../manifestvalues.ts'
import { before, kindsOf, NONE, type Row } from './impliedrule.ts'

type Backends = (o: KubeObject) => readonly (JsonValue | undefined)[]

const ofIngress: Backends = (o) => [
  at(o, 'spec', 'defaultBackend', 'service'),
  ...list(at(o, 'spec', 'rules')).flatMap((r) =>
    list(at(r, 'http', 'paths')).map((p) => at(p, 'backend', 'service')),
  ),
]

const ofRoute: Backends = (o) =>
  list(at(o, 'spec', 'rules'))
    .flatMap((r) => list(at(r, 'backendRefs')))
    .filter((b) => (at(b, 'kind') ?? 'Service') === 'Service')

const ROUTES = ['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute']

/** By `group/Kind`: references with a name, and a namespace if it is another one. */
const BACKENDS: ReadonlyMap<string, readonly [Backends, why: string]> = new Map<
  string,
  readonly [Backends, why: string]
>([
  ['apps/StatefulSet', [(o) => [{ name: at(o, 'spec', 'serviceName') }], 'serviceName']],
  ['networking.k8s.io/Ingress', [ofIngress, 'backend']],
  ...ROUTES.map((kind) => [`gateway.networking.k8s.io/${kind}`, [ofRoute, 'backendRefs']] as const),
])

export const ROUTED_KINDS = kindsOf(BACKENDS)

export const serviceOfObject: Row = (to, index) => {
  const found = BACKENDS.get(`${parseApiVersion(to.apiVersion).group}/${to.kind}`)
  if (!found) return NONE
  const [backends, why] = found
  const from = new Set<KubeObject | undefined>()
  for (const b of backends(to)) {
    const name = named(at(b, 'name'))
    if (name) from.add(index.find('', 'Service', named(at(b, 'namespace')) ?? to.metadata.namespace, name))
  }
  return before([...from], to, why)
}
