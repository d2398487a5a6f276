/** Gateway API, and those who attach policies as it does; Gloo, Contour, Istio. */
import {
  absent,
  type KindRule,
  type KindRules,
  observedBy,
  on,
  otherwise,
  stale,
  when,
  words,
} from './kindrule.ts'

const awaited = { state: 'Progressing', message: 'Waiting for {kind} status' } as const

/**
 * Of what has a status for each parent or ancestor (GEP-713, GEP-1364): each has conditions of its own, and each condition
 * says of which generation it is.
 */
const attached = (
  list: 'parents' | 'ancestors',
  ref: string,
  label: string,
  missing: readonly KindRule[] = [],
): KindRule[] => {
  const all = `status.?${list}.orValue([])`
  const behind =
    'c.?observedGeneration.orValue(metadata.?generation.orValue(0)) < metadata.?generation.orValue(0)'
  const bad =
    "c.status == 'False' && c.type in ['Accepted', 'Programmed', 'Ready', 'ResolvedRefs'] || c.status == 'True' && c.type == 'PartiallyInvalid'"
  const having = (test: string): string => `${all}.filter(p, p.?conditions.orValue([]).exists(c, ${test}))`
  const isBad = having(bad)
  const condition = `${isBad}[0].conditions.filter(c, ${bad})[0]`
  return [
    { when: { path: `status.${list}`, in: [], cel: `has(status.${list})` }, ...awaited },
    when(
      `${having(behind)}.size() > 0`,
      'Progressing',
      `Waiting for ${label} {${having(behind)}[0].${ref}.name} to update {kind} status`,
    ),
    when(
      `${isBad}.size() > 0`,
      'Degraded',
      `${label} {${isBad}[0].${ref}.name}: {${condition}.?message.orValue('Failed condition: ' + ${condition}.type)}`,
    ),
    when(
      `${having("c.status == 'Unknown'")}.size() > 0`,
      'Progressing',
      `Waiting for ${label} {${having("c.status == 'Unknown'")}[0].${ref}.name} to update {kind} status`,
    ),
    ...missing,
    when(`has(status.${list})`, 'Healthy', '{kind} is healthy'),
  ]
}

/** Parents that say nothing yet. */
const SILENT =
  'spec.?parentRefs.orValue([]).filter(r, !status.?parents.orValue([]).exists(p, p.parentRef.name == r.name))'
const silent: readonly KindRule[] = [
  when(
    `${SILENT}.size() > 0`,
    'Progressing',
    `Waiting for Parent {${SILENT}[0].name} to update {kind} status`,
  ),
  // Several sections of one Gateway are parents each.
  when(
    'status.?parents.orValue([]).size() < spec.?parentRefs.orValue([]).size()',
    'Progressing',
    'Waiting for all parents to update {kind} status',
  ),
]

/** A controller that has looked says whether it accepts. */
function accepts(list: 'parents' | 'ancestors', ref: string, label: string): KindRule {
  const open = `status.?${list}.orValue([]).filter(p, !p.?conditions.orValue([]).exists(c, c.type == 'Accepted'))`
  return when(
    `${open}.size() > 0`,
    'Progressing',
    `Waiting for ${label} {${open}[0].${ref}.name} to update {kind} status`,
  )
}

/** A controller of the gateway always reports. */
const reports: KindRule = { when: { path: 'status', in: [] }, ...awaited }
const route: readonly KindRule[] = [
  reports,
  ...attached('parents', 'parentRef', 'Parent', [accepts('parents', 'parentRef', 'Parent'), ...silent]),
]
const policyOrNot = attached('ancestors', 'ancestorRef', 'Ancestor')
const policy: readonly KindRule[] = [
  reports,
  ...attached('ancestors', 'ancestorRef', 'Ancestor', [accepts('ancestors', 'ancestorRef', 'Ancestor')]),
]

const gatewayApi: readonly KindRules[] = [
  {
    group: 'gateway.networking.k8s.io',
    kinds: ['HTTPRoute', 'GRPCRoute', 'TCPRoute', 'TLSRoute', 'UDPRoute'],
    rules: route,
  },
  { group: 'gateway.networking.k8s.io', kinds: ['BackendTLSPolicy'], rules: policy },
  {
    group: 'gateway.networking.k8s.io',
    kinds: ['Gateway'],
    rules: [
      absent('status.conditions', 'Progressing', 'Waiting for Gateway status'),
      stale('Waiting for Gateway status'),
      on('Accepted=False/Pending|NotReconciled', 'Progressing'),
      on('Accepted=False', 'Degraded'),
      on('ResolvedRefs=False', 'Degraded'),
      on('Programmed=False/Invalid|NoResources|AddressNotUsable', 'Degraded'),
      on('Programmed=False', 'Progressing'),
      on('Programmed=True & Accepted=True', 'Healthy', 'Gateway is healthy'),
      otherwise('Progressing', '{conditions.Programmed.message|Waiting for Gateway status}'),
    ],
  },
  {
    group: 'gateway.networking.k8s.io',
    kinds: ['GatewayClass'],
    rules: [
      on('Accepted=True', 'Healthy'),
      on('Accepted=False/Pending', 'Progressing'),
      on('Accepted=False', 'Degraded'),
      on('Accepted=Unknown', 'Progressing'),
      otherwise('Progressing', 'Waiting for GatewayClass status'),
    ],
  },
]

/** Reports of Gloo: `state` as its protobuf enum or its name, one for each namespace that a controller watches. */
const REPORTS = '(has(status.statuses) ? status.statuses.map(n, status.statuses[n]) : [status])'
const reported = (numbers: string): string =>
  `${REPORTS}.filter(s, string(s.?state.orValue('')) in ${numbers})`
const solo: readonly KindRule[] = [
  absent('status', 'Progressing', 'Update in progress'),
  ...[reported("['2', 'Rejected']"), reported("['3', 'Warning']")].map((bad) =>
    when(`${bad}.size() > 0`, 'Degraded', `{${bad}[0].?reason.orValue('')}`),
  ),
  when(`${reported("['0', 'Pending']")}.size() > 0`, 'Suspended', 'The resource has not yet been validated'),
  when(`${reported("['1', 'Accepted']")}.size() > 0`, 'Healthy', 'The resource has been validated'),
  otherwise('Progressing', 'Update in progress'),
]

const contour: readonly KindRules[] = [
  {
    group: 'projectcontour.io',
    kinds: ['HTTPProxy', 'ExtensionService'],
    rules: [
      ...words('status.currentStatus', { Progressing: ['NotReconciled'] }, '{status.description}'),
      stale('Waiting for status'),
      // It has no root of its own: what includes it says whether it is valid.
      ...words('status.currentStatus', { Degraded: ['orphaned'] }, '{status.description}'),
      on('Valid=True', 'Healthy'),
      on('Valid=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for status'),
    ],
  },
]

/** A router has not admitted a Route of OpenShift. */
const REFUSED = "c.type == 'Admitted' && c.status == 'False'"

export const gatewayRules: readonly KindRules[] = [
  observedBy('Accepted', 'gateway.networking.k8s.io', ['GatewayClass']),
  ...gatewayApi,
  { group: 'microgateway.airlock.com', kinds: '*', rules: policyOrNot },
  {
    group: 'gateway.envoyproxy.io',
    kinds: [
      'BackendTrafficPolicy',
      'ClientTrafficPolicy',
      'EnvoyExtensionPolicy',
      'EnvoyPatchPolicy',
      'SecurityPolicy',
    ],
    rules: policy,
  },
  {
    group: 'gateway.solo.io',
    kinds: [
      'Gateway',
      'MatchableHttpGateway',
      'RouteOption',
      'RouteTable',
      'VirtualHostOption',
      'VirtualService',
    ],
    rules: solo,
  },
  { group: 'gloo.solo.io', kinds: ['Proxy', 'Settings', 'Upstream', 'UpstreamGroup'], rules: solo },
  ...contour,
  {
    // Values of IstioOperator's InstallStatus.
    group: 'install.istio.io',
    kinds: ['IstioOperator'],
    rules: [
      ...words('status.status', { Healthy: ['HEALTHY'] }, 'Component is healthy.'),
      ...words('status.status', { Degraded: ['ERROR'] }, '{status.message|Component is in an error state.}'),
      ...words(
        'status.status',
        { Suspended: ['ACTION_REQUIRED'] },
        '{status.message|Component needs an action.}',
      ),
      ...words(
        'status.status',
        { Progressing: ['UPDATING'] },
        'Component is being updated to a different version.',
      ),
      ...words('status.status', { Progressing: ['RECONCILING'] }, 'Component is being reconciled.'),
      otherwise('Progressing', 'Status of component is not known yet.'),
    ],
  },
  {
    group: 'route.openshift.io',
    kinds: ['Route'],
    rules: [
      absent('status.ingress', 'Progressing', 'Route is still getting admitted'),
      when(
        `status.ingress.exists(i, i.?conditions.orValue([]).exists(c, ${REFUSED}))`,
        'Degraded',
        `{status.ingress.map(i, i.?conditions.orValue([]).filter(c, ${REFUSED}).map(c, i.?routerName.orValue('') + ': ' + c.?message.orValue('not admitted')).join('; ')).filter(t, t != '').join('; ')}`,
      ),
      when(
        "status.ingress.all(i, i.?conditions.orValue([]).exists(c, c.type == 'Admitted' && c.status == 'True'))",
        'Healthy',
        'Route is healthy',
      ),
      otherwise('Progressing', 'Route is still getting admitted'),
    ],
  },
]
