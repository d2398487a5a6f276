/** Cloud resources as Kubernetes objects: Crossplane, Config Connector, ACK, Karpenter, Gardener, SAP BTP, Pulumi. */
import { absent, type KindRule, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

/** Crossplane's `Ready` and `Synced` (crossplane-runtime `condition.go`); a resource is only ready while it is synced. */
const managed: readonly KindRule[] = [
  on('Synced=False/ReconcilePaused', 'Suspended', '{condition.reason}'),
  on('Synced=False', 'Degraded'),
  on('LastAsyncOperation=False', 'Degraded'),
  on('Ready=True', 'Healthy', '{condition.reason}'),
  // What is not a resource: definitions, revisions of packages, operations.
  on('!Ready & Established=True', 'Healthy', '{condition.reason}'),
  on('!Ready & Healthy=True', 'Healthy', '{condition.reason}'),
  on('!Ready & Healthy=False', 'Degraded'),
  on('!Ready & RevisionHealthy=False', 'Degraded'),
  on('!Ready & RuntimeHealthy=False', 'Progressing'),
  on('!Ready & RevisionHealthy=True', 'Healthy', '{condition.reason}'),
  on('!Ready & Succeeded=True', 'Healthy', '{condition.reason}'),
  on('!Ready & Succeeded=False', 'Degraded'),
  absent('status', 'Progressing', 'Waiting for {kind} to be created'),
  otherwise('Progressing', 'Waiting for {kind} to be available'),
]

/** Configuration of Crossplane that is read where it is used, and has no status, or one that only counts its users. */
const STATIC = [
  'ClusterProviderConfig',
  'Composition',
  'CompositionRevision',
  'DeploymentRuntimeConfig',
  'EnvironmentConfig',
  'ImageConfig',
  'Lock',
  'ProviderConfig',
  'ProviderConfigUsage',
  'StoreConfig',
]
const upToDate: readonly KindRule[] = [otherwise('Healthy', 'Resource is up-to-date.')]

const packaged: readonly KindRule[] = [
  on('Installed=False', 'Degraded', '{condition.reason}: {condition.message}'),
  on('Healthy=True & Installed=True', 'Healthy', '{conditions.Installed.reason} {conditions.Healthy.reason}'),
  on('Healthy=False & Installed=True', 'Degraded'),
  otherwise('Progressing', 'Waiting for provider to be installed'),
]

const crossplane: readonly KindRules[] = [
  { group: 'pkg.crossplane.io', kinds: ['Provider', 'Configuration', 'Function'], rules: packaged },
  {
    group: 'apiextensions.crossplane.io',
    kinds: ['CompositeResourceDefinition'],
    rules: [
      on('Established=True', 'Healthy', '{condition.reason}'),
      otherwise(
        'Progressing',
        '{conditions.Established.message|Waiting for the definition to be established}',
      ),
    ],
  },
  {
    group: 'stacks.crossplane.io',
    kinds: ['ClusterStackInstall', 'StackInstall'],
    rules: [
      when(
        "status.?conditionedStatus.?conditions.orValue([]).exists(c, c.type == 'Ready' && c.status == 'True')",
        'Healthy',
        "{status.conditionedStatus.conditions.filter(c, c.type == 'Ready')[0].reason}",
      ),
      when(
        'status.?conditionedStatus.?conditions.orValue([]).size() > 0',
        'Progressing',
        'Resource is being created',
      ),
      otherwise('Progressing', 'Waiting for stack to be installed'),
    ],
  },
  { group: '*.crossplane.io', kinds: STATIC, rules: upToDate },
  { group: '*.upbound.io', kinds: STATIC, rules: upToDate },
  { group: '*.crossplane.io', kinds: '*', rules: managed },
  { group: '*.upbound.io', kinds: '*', rules: managed },
]

/** What the operator of Config Connector reads says whether it is healthy, and lists errors. */
const connector: readonly KindRule[] = [
  stale('Update in progress'),
  ...words('status.healthy', { Healthy: [true] }, '{kind} is healthy'),
  ...words('status.healthy', { Degraded: [false] }, "{status.?errors.orValue([]).join('; ')}"),
  otherwise('Progressing', 'Update in progress'),
]

/** Reasons of Config Connector's `Ready`: <https://cloud.google.com/config-connector/docs/how-to/monitoring-your-resources>. */
const configConnector: readonly KindRules[] = [
  {
    group: 'core.cnrm.cloud.google.com',
    kinds: ['ConfigConnector', 'ConfigConnectorContext'],
    rules: connector,
  },
  {
    group: 'customize.core.cnrm.cloud.google.com',
    kinds: [
      'ControllerReconciler',
      'ControllerResource',
      'MutatingWebhookConfigurationCustomization',
      'NamespacedControllerReconciler',
      'NamespacedControllerResource',
      'ValidatingWebhookConfigurationCustomization',
    ],
    rules: connector,
  },
  {
    group: '*.cnrm.cloud.google.com',
    kinds: '*',
    rules: [
      stale('Update in progress'),
      on('Ready=True', 'Healthy'),
      on('Ready=False/Updating|Deleting|DependencyNotReady', 'Progressing'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Update in progress'),
    ],
  },
]

/** AWS Controllers for Kubernetes: conditions of `runtime/apis/core/v1alpha1`. */
const ack: KindRules = {
  group: '*.services.k8s.aws',
  kinds: '*',
  rules: [
    on('ACK.Terminal=True', 'Degraded'),
    on('ACK.Recoverable=True', 'Degraded'),
    on('Ready=True', 'Healthy'),
    on('Ready=False', 'Progressing'),
    on('ACK.ResourceSynced=True', 'Healthy'),
    on('ACK.ResourceSynced=False', 'Progressing'),
    otherwise('Progressing', 'Waiting for the resource to be synced'),
  ],
}

/** The controllers' own kinds: what is taken over, and what is written elsewhere. */
const ackOwn: KindRules = {
  group: 'services.k8s.aws',
  kinds: '*',
  rules: [
    on('ACK.Terminal=True', 'Degraded'),
    on('ACK.Recoverable=True', 'Degraded'),
    on('ACK.Adopted=False', 'Progressing'),
    otherwise('Healthy'),
  ],
}

const karpenter: readonly KindRules[] = [
  {
    group: 'karpenter.sh',
    kinds: ['NodeClaim'],
    rules: [
      on('DisruptionReason=True', 'Suspended'),
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      on('Initialized=True', 'Progressing', 'Node initialized, waiting for Ready'),
      on('Registered=True', 'Progressing', 'Node registered, waiting for initialization'),
      on('Launched=True', 'Progressing', 'Instance launched, waiting for registration'),
      on('Launched=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for NodeClaim to be launched'),
    ],
  },
]

const gardener: KindRules = {
  group: 'core.gardener.cloud',
  kinds: ['Shoot'],
  rules: [
    ...words(
      'status.lastOperation.state',
      { Degraded: ['Failed', 'Error', 'Aborted'] },
      '{status.lastOperation.description|Component state: Unhealthy}',
    ),
    ...words(
      'status.lastOperation.state',
      { Progressing: ['Processing', 'Pending'] },
      'Component state: Update in progress',
    ),
    absent('status.conditions', 'Progressing', 'Component state: Update in progress'),
    when("status.conditions.all(c, c.?status.orValue('') == 'True')", 'Healthy', 'Component state: Healthy'),
    // Progressing is a status of its own there: False is what has not come back in its time.
    when(
      "status.conditions.exists(c, c.?status.orValue('') == 'False')",
      'Degraded',
      "{status.conditions.filter(c, c.?status.orValue('') == 'False').map(c, c.?type.orValue('') + ': ' + c.?message.orValue('')).join('; ')}",
    ),
    otherwise('Progressing', 'Component state: Update in progress'),
  ],
}

const serviceOfSap: readonly KindRule[] = [
  absent('status', 'Progressing', 'Waiting for status'),
  when(
    'status.?conditions.orValue([]).exists(c, c.?observedGeneration.orValue(metadata.?generation.orValue(0)) < metadata.?generation.orValue(0))',
    'Progressing',
    'Waiting for spec update to be observed',
  ),
  on('Failed=True', 'Degraded'),
  on('Ready=True', 'Healthy', 'Ready to use'),
  otherwise('Progressing', '{conditions.Ready.message|Waiting for status}'),
]

export const cloudRules: readonly KindRules[] = [
  ...crossplane,
  ...configConnector,
  ackOwn,
  ack,
  ...karpenter,
  gardener,
  { group: 'services.cloud.sap.com', kinds: ['ServiceBinding', 'ServiceInstance'], rules: serviceOfSap },
  {
    group: 'iammanager.keikoproj.io',
    kinds: ['Iamrole'],
    rules: [
      ...words(
        'status.state',
        { Healthy: ['Ready'] },
        "Role '{status.roleName}' exists with ARN '{status.roleARN|<none>}' and ID '{status.roleID|<none>}'.",
      ),
      ...words(
        'status.state',
        { Degraded: ['Error', 'PolicyNotAllowed', 'RolesMaxLimitReached', 'RoleNameNotAvailable'] },
        'Failed to reconcile the Iamrole: {status.errorDescription}',
      ),
      otherwise('Progressing', 'Waiting for the role to be reconciled'),
    ],
  },
]
