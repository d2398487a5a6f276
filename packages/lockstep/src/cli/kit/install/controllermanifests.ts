/** The controller in the hub: its Pods, their Services, disruption budget and network. */
import type { JsonObject } from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { Profile } from '../../../api/rights.ts'

export const ACCOUNT = 'lockstep-controller'
export const LABELS = { 'app.kubernetes.io/part-of': 'lockstep' }

export interface ControllerPods {
  /** Reference of the image. */
  readonly image: string
}

const POD_LABELS = { 'app.kubernetes.io/name': 'lockstep', 'app.kubernetes.io/component': 'controller' }
const SELECTOR = { matchLabels: POD_LABELS }
const USER = 65532
const PORTS = { metrics: 8080, health: 8081, events: 8082 }
/** Ports of the addresses that the controller connects to: https, API servers, ssh. */
const EGRESS_PORTS = [443, 6443, 22]
const DNS_PORT = 53
const MONITORING_NAMESPACE = 'monitoring'
/** Folders that the controller writes to; all others are read-only. */
const WRITABLE = { tmp: '/tmp', cache: '/var/cache/lockstep' }

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  spec: JsonObject,
  labels: JsonObject = LABELS,
): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: SYSTEM_NAMESPACE, labels },
  spec,
})

/** Manifests of the controller for an installation with these profiles. */
export const controllerManifests = (pods: ControllerPods, profiles: readonly Profile[]): JsonObject[] => [
  service('metrics'),
  service('events'),
  networkPolicy(),
  object('policy/v1', 'PodDisruptionBudget', ACCOUNT, { minAvailable: 1, selector: SELECTOR }),
  deployment(pods, profiles),
]

const service = (port: 'metrics' | 'events'): JsonObject =>
  object(
    'v1',
    'Service',
    `lockstep-${port}`,
    { selector: POD_LABELS, ports: [{ name: port, port: PORTS[port], protocol: 'TCP', targetPort: port }] },
    { ...LABELS, 'app.kubernetes.io/component': port },
  )

/** Without a source of events the port is closed to other Pods; kubelet reaches probes in any case. */
function networkPolicy(): JsonObject {
  const tcp = (port: number): JsonObject => ({ port, protocol: 'TCP' })
  const monitoring = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': MONITORING_NAMESPACE } },
  }
  return object('networking.k8s.io/v1', 'NetworkPolicy', ACCOUNT, {
    podSelector: SELECTOR,
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [monitoring], ports: [tcp(PORTS.metrics)] }],
    egress: [
      { ports: [{ port: DNS_PORT, protocol: 'UDP' }, tcp(DNS_PORT)] },
      { ports: EGRESS_PORTS.map(tcp) },
    ],
  })
}

/** Two replicas on different hosts where possible. An update starts a new one before an old one ends. */
const deployment = ({ image }: ControllerPods, profiles: readonly Profile[]): JsonObject =>
  object('apps/v1', 'Deployment', ACCOUNT, {
    replicas: 2,
    selector: SELECTOR,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { ...LABELS, ...POD_LABELS } },
      spec: {
        serviceAccountName: ACCOUNT,
        // The first process of the Pod reaps programs that lost their parent, such as those of a git that was killed.
        shareProcessNamespace: true,
        terminationGracePeriodSeconds: 45,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER,
          runAsGroup: USER,
          fsGroup: USER,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: SELECTOR,
          },
        ],
        containers: [container(image, profiles)],
        volumes: Object.keys(WRITABLE).map((name) => ({ name, emptyDir: {} })),
      },
    },
  })

function container(image: string, profiles: readonly Profile[]): JsonObject {
  const probe = (path: string, periodSeconds: number, failureThreshold: number): JsonObject => ({
    httpGet: { path, port: 'health' },
    periodSeconds,
    failureThreshold,
  })
  return {
    name: 'controller',
    image,
    args: [
      'controller',
      ...Object.entries(PORTS).map(([name, port]) => `--${name}-address=:${port}`),
      `--cache-dir=${WRITABLE.cache}`,
      ...(profiles.includes('weave') ? ['--serve-weave-pipelines'] : []),
    ],
    env: [{ name: 'HOME', value: WRITABLE.tmp }],
    ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
    startupProbe: probe('/livez', 2, 60),
    livenessProbe: probe('/livez', 10, 3),
    readinessProbe: probe('/readyz', 5, 2),
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: Object.entries(WRITABLE).map(([name, mountPath]) => ({ name, mountPath })),
  }
}
