import { at, isArray, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, fill, items, within } from '../resources/objectdraft.ts'
import type { Allocator } from '../resources/servedkind.ts'
import { invalid } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { dns1035Label } from '../write/dns1123label.ts'
import type { SpecialRules } from './specialrules.ts'

const hasNodePorts = (type: unknown): boolean => type === 'NodePort' || type === 'LoadBalancer'

const service: SpecialRules = {
  name: (name, prefix) => dns1035Label(prefix ? name.replace(/-+$/, 'a') : name),
  returnsDeleted: true,
  createOnUpdate: true,
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' })
    if (spec.sessionAffinity === 'ClientIP')
      fill(ensure(ensure(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 })
    for (const p of items(spec, 'ports')) {
      fill(p, { protocol: 'TCP' })
      if (p.port !== undefined && (p.targetPort === undefined || p.targetPort === 0 || p.targetPort === ''))
        p.targetPort = p.port
    }
    if (spec.type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' })
    if (hasNodePorts(spec.type)) fill(spec, { externalTrafficPolicy: 'Cluster' })
    if (spec.type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true })
  },
  prepareCreate: (o, allocate) => complete(o, undefined, allocate),
  prepareUpdate: (o, old, allocate) => complete(o, old, allocate),
  validate: (next, old) => [...portFindings(next), ...serviceFindings(next, old)],
  fields: {
    'spec.clusterIP': (o) => String(at(o, 'spec', 'clusterIP') ?? ''),
    'spec.type': (o) => String(at(o, 'spec', 'type') ?? ''),
  },
}

/** Addresses and ports: given, kept from before, or allocated (kubernetes pkg/registry/core/service). */
function complete(o: ObjectDraft, old: KubeObject | undefined, allocate: Allocator): void {
  const before = within((old ?? {}) as unknown as ObjectDraft, 'spec')
  const spec: ObjectDraft = { ...within(o, 'spec') }
  o.spec = spec
  if (spec.type === 'ExternalName') return
  if (before && before.type !== 'ExternalName') keepAllocated(spec, before)
  const given = isArray(spec.clusterIPs) ? spec.clusterIPs[0] : undefined
  if (!spec.clusterIP) spec.clusterIP = given ?? allocate.clusterIp()
  fill(spec, { clusterIPs: [spec.clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' })
  allocatePorts(spec, allocate)
}

function keepAllocated(spec: ObjectDraft, before: ObjectDraft): void {
  if (!spec.clusterIP && !(isArray(spec.clusterIPs) && spec.clusterIPs.length > 0)) {
    if (before.clusterIP !== undefined) spec.clusterIP = before.clusterIP
    if (before.clusterIPs !== undefined) spec.clusterIPs = before.clusterIPs
  }
  for (const name of ['ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort'])
    if (spec[name] === undefined && before[name] !== undefined) spec[name] = before[name]
  if (!hasNodePorts(spec.type) || !hasNodePorts(before.type)) return
  const ports = new Map(items(before, 'ports').map((p) => [portId(p), p.nodePort]))
  spec.ports = items(spec, 'ports').map((p) => {
    const nodePort = p.nodePort ?? ports.get(portId(p))
    return nodePort === undefined ? p : { ...p, nodePort }
  })
}

const portId = (p: ObjectDraft): string => `${String(p.port)}/${String(p.protocol)}`

function allocatePorts(spec: ObjectDraft, allocate: Allocator): void {
  const wantsPorts =
    spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  if (wantsPorts)
    spec.ports = items(spec, 'ports').map((p) => (p.nodePort ? p : { ...p, nodePort: allocate.nodePort() }))
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local' && !spec.healthCheckNodePort)
    spec.healthCheckNodePort = allocate.nodePort()
}

/** kubernetes pkg/apis/core/validation, by apimachinery IsValidPortNum. */
function portFindings(next: KubeObject): FieldError[] {
  const ports = at(next, 'spec', 'ports')
  return (isArray(ports) ? ports : []).flatMap((p, i) => {
    const port = at(p, 'port')
    if (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)) return []
    return [invalid(`spec.ports[${i}].port`, port, 'must be between 1 and 65535, inclusive')]
  })
}

function serviceFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!old || at(next, 'spec', 'type') === 'ExternalName' || at(old, 'spec', 'type') === 'ExternalName')
    return []
  const [ips, before] = [at(next, 'spec', 'clusterIPs'), at(old, 'spec', 'clusterIPs')]
  const first = at(next, 'spec', 'clusterIP')
  if (before === undefined || (jsonEqual(ips, before) && first === at(old, 'spec', 'clusterIP'))) return []
  return [invalid('spec.clusterIPs[0]', (ips ?? first ?? null) as JsonValue, 'may not change once set')]
}

export const serviceRules: Readonly<Record<string, SpecialRules>> = {
  Service: service,
  Endpoints: {
    createOnUpdate: true,
    defaults(o) {
      for (const s of items(o, 'subsets')) for (const p of items(s, 'ports')) fill(p, { protocol: 'TCP' })
    },
  },
  'EndpointSlice.discovery.k8s.io': {
    generation: ({ metadata: _a, ...next }, { metadata: _b, ...old }) => !jsonEqual(next, old),
    defaults(o) {
      for (const p of items(o, 'ports')) fill(p, { name: '', protocol: 'TCP' })
    },
  },
}
