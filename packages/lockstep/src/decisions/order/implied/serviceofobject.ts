/** Services before who sends to them by name. */
import { at, type JsonValue, type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { manifestName, manifestValues } from '../manifestvalues.ts'
import { edgesBefore, type ImpliedRule, kindsOf, NO_EDGES } from './impliedrule.ts'

type Backends = (o: KubeObject) => readonly (JsonValue | undefined)[]

const ofIngress: Backends = (o) => [
  at(o, 'spec', 'defaultBackend', 'service'),
  ...manifestValues(at(o, 'spec', 'rules')).flatMap((r) =>
    manifestValues(at(r, 'http', 'paths')).map((p) => at(p, 'backend', 'service')),
  ),
]

const ofRoute: Backends = (o) =>
  manifestValues(at(o, 'spec', 'rules'))
    .flatMap((r) => manifestValues(at(r, 'backendRefs')))
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

export const serviceOfObject: ImpliedRule = (to, index) => {
  const found = BACKENDS.get(`${parseApiVersion(to.apiVersion).group}/${to.kind}`)
  if (!found) return NO_EDGES
  const [backends, why] = found
  const from = new Set<KubeObject | undefined>()
  for (const b of backends(to)) {
    const name = manifestName(at(b, 'name'))
    if (name)
      from.add(index.find('', 'Service', manifestName(at(b, 'namespace')) ?? to.metadata.namespace, name))
  }
  return edgesBefore([...from], to, why)
}
