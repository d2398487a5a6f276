/** Operator Lifecycle Manager: Subscriptions and what comes of them, and ClusterExtensions of OLM v1. */
import { type KindRules, on, otherwise, stale, words } from './kindrule.ts'

const WAITS_FOR_APPROVAL = {
  path: 'status.state',
  in: ['UpgradePending'],
  conditions: 'InstallPlanPending=True/RequiresApproval',
} as const

export const olmRules: readonly KindRules[] = [
  {
    group: 'operators.coreos.com',
    kinds: ['Subscription'],
    rules: [
      ...words(
        'status.state',
        { Degraded: ['UpgradeFailed'] },
        '{conditions.ResolutionFailed.message|The upgrade has failed}',
      ),
      on('CatalogSourcesUnhealthy=True', 'Degraded'),
      on('InstallPlanFailed=True', 'Degraded'),
      on('ResolutionFailed=True', 'Degraded'),
      on('BundleUnpackFailed=True', 'Degraded'),
      // One that was there once may be collected: what it has installed stays.
      {
        when: {
          conditions: 'InstallPlanMissing=True',
          cel: "status.?conditions.orValue([]).exists(c, c.?type.orValue('') == 'InstallPlanMissing' && c.?reason.orValue('') != 'ReferencedInstallPlanNotFound')",
        },
        state: 'Degraded',
      },
      ...words('status.state', { Healthy: ['AtLatestKnown'] }, "status.state is '{status.state}'"),
      // It waits for a person who has to approve the next version; the present one is there.
      {
        when: { ...WAITS_FOR_APPROVAL, cel: "status.?installedCSV.orValue('') != ''" },
        state: 'Healthy',
        message: 'the next version waits to be approved',
      },
      { when: WAITS_FOR_APPROVAL, state: 'Progressing', message: 'InstallPlan waits for approval' },
      otherwise('Progressing', "status.state is '{status.state}'"),
    ],
  },
  {
    group: 'operators.coreos.com',
    kinds: ['ClusterServiceVersion', 'InstallPlan'],
    rules: [
      ...words(
        'status.phase',
        {
          Healthy: ['Succeeded', 'Complete'],
          Degraded: ['Failed'],
          Suspended: ['RequiresApproval'],
        },
        '{status.message}',
      ),
      otherwise('Progressing', '{status.message|Waiting for the operator to be installed}'),
    ],
  },
  {
    // `lastObservedState` has the words of gRPC's connections; a catalog whose pod begins is in TRANSIENT_FAILURE for a while.
    group: 'operators.coreos.com',
    kinds: ['CatalogSource'],
    rules: [
      ...words('status.connectionState.lastObservedState', { Healthy: ['READY'] }, 'the catalog answers'),
      ...words(
        'status.reason',
        { Degraded: ['SpecInvalidError', 'ConfigMapError', 'RegistryServerError'] },
        '{status.message|The catalog cannot be served}',
      ),
      otherwise(
        'Progressing',
        "connection to the catalog: '{status.connectionState.lastObservedState|not tried yet}'",
      ),
    ],
  },
  {
    // operator-controller `api/v1/clusterextension_types.go`: Retrying may come right by itself, Blocked does not.
    group: 'olm.operatorframework.io',
    kinds: ['ClusterExtension'],
    rules: [
      on('Progressing=False/Blocked', 'Degraded'),
      on('Installed=False/Failed', 'Degraded'),
      stale('Waiting for the last change to be seen'),
      on('Progressing=True/Retrying', 'Progressing'),
      on('Progressing=True/RollingOut', 'Progressing'),
      on('Installed=True', 'Healthy'),
      otherwise('Progressing', '{conditions.Installed.message|Waiting for the bundle to be installed}'),
    ],
  },
]
