/** Operators and Applications: what a wave of a pattern waits for. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { healthOf } from './health.ts'

type Row = readonly [what: string, status: object | undefined, state: string, message: string]

const condition = (type: string, status: string, reason = '', observedGeneration?: number): object => ({
  type,
  status,
  reason,
  message: `about ${type}`,
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
})

const check =
  (apiVersion: string, kind: string, spec: object = {}) =>
  (_: string, status: object | undefined, state: string, message: string): void => {
    const o = {
      apiVersion,
      kind,
      metadata: { name: 'a', generation: 2 },
      spec,
      ...(status ? { status } : {}),
    }
    const found = healthOf(o as unknown as KubeObject, 0)
    expect([found.state, found.message]).toEqual([state, message])
  }

const APPROVAL = condition('InstallPlanPending', 'True', 'RequiresApproval')

it.each<Row>([
  ['without a status', undefined, 'Progressing', "status.state is ''"],
  ['that is installed', { state: 'AtLatestKnown' }, 'Healthy', "status.state is 'AtLatestKnown'"],
  ['that installs', { state: 'UpgradePending' }, 'Progressing', "status.state is 'UpgradePending'"],
  [
    'with a newer version',
    { state: 'UpgradeAvailable' },
    'Progressing',
    "status.state is 'UpgradeAvailable'",
  ],
  [
    'whose first InstallPlan nobody has approved',
    { state: 'UpgradePending', conditions: [APPROVAL] },
    'Progressing',
    'InstallPlan waits for approval',
  ],
  [
    'whose next InstallPlan nobody has approved',
    { state: 'UpgradePending', installedCSV: 'a.v1', conditions: [APPROVAL] },
    'Healthy',
    'the next version waits to be approved',
  ],
  [
    'that cannot be resolved',
    { conditions: [condition('ResolutionFailed', 'True')] },
    'Degraded',
    'about ResolutionFailed',
  ],
  [
    'whose InstallPlan is missing',
    { conditions: [condition('InstallPlanMissing', 'True', 'Other')] },
    'Degraded',
    'about InstallPlanMissing',
  ],
  [
    'whose InstallPlan was collected',
    {
      state: 'AtLatestKnown',
      conditions: [condition('InstallPlanMissing', 'True', 'ReferencedInstallPlanNotFound')],
    },
    'Healthy',
    "status.state is 'AtLatestKnown'",
  ],
  [
    'without its catalog',
    { conditions: [condition('CatalogSourcesUnhealthy', 'True')] },
    'Degraded',
    'about CatalogSourcesUnhealthy',
  ],
])('a Subscription %s', check('operators.coreos.com/v1alpha1', 'Subscription'))

it.each<Row>([
  ['without a status', undefined, 'Progressing', 'Waiting for the bundle to be installed'],
  [
    'that is installed',
    {
      conditions: [
        condition('Installed', 'True', 'Succeeded', 2),
        condition('Progressing', 'True', 'Succeeded', 2),
      ],
    },
    'Healthy',
    'about Installed',
  ],
  [
    'that was installed before the last change',
    { conditions: [condition('Installed', 'True', 'Succeeded', 1)] },
    'Progressing',
    'Waiting for the last change to be seen',
  ],
  [
    'that is blocked',
    {
      conditions: [
        condition('Installed', 'True', 'Succeeded', 2),
        condition('Progressing', 'False', 'Blocked', 2),
      ],
    },
    'Degraded',
    'about Progressing',
  ],
  [
    'that tries again',
    {
      conditions: [
        condition('Installed', 'True', 'Succeeded', 2),
        condition('Progressing', 'True', 'Retrying', 2),
      ],
    },
    'Progressing',
    'about Progressing',
  ],
  [
    'that has failed',
    { conditions: [condition('Installed', 'False', 'Failed', 2)] },
    'Degraded',
    'about Installed',
  ],
])('a ClusterExtension %s', check('olm.operatorframework.io/v1', 'ClusterExtension'))

const source = { repoURL: 'https://git/p', path: 'a', targetRevision: 'main' }
const healthy = { status: 'Healthy' }

it.each<Row>([
  ['without a status', undefined, 'Progressing', 'no health yet'],
  ['that is well and nothing is compared', { health: healthy }, 'Progressing', 'no health yet'],
  [
    'that is well and synced',
    { health: healthy, sync: { status: 'Synced', comparedTo: { source } } },
    'Healthy',
    'Synced and Healthy',
  ],
  [
    'of which nobody says what was compared',
    { health: healthy, sync: { status: 'Synced' } },
    'Healthy',
    'Synced and Healthy',
  ],
  [
    'that was compared with another source',
    {
      health: healthy,
      sync: { status: 'Synced', comparedTo: { source: { ...source, targetRevision: 'v1' } } },
    },
    'Progressing',
    'Argo CD has not compared it with this source yet',
  ],
  [
    'that is being synced',
    { health: { status: 'Missing' }, sync: { status: 'OutOfSync' } },
    'Progressing',
    'Missing',
  ],
  ['that is well and behind', { health: healthy, sync: { status: 'OutOfSync' } }, 'Progressing', 'OutOfSync'],
  [
    'that is broken',
    { health: { status: 'Degraded', message: 'no pods' }, sync: { status: 'Synced' } },
    'Degraded',
    'Degraded no pods',
  ],
])(
  'an Application %s',
  check('argoproj.io/v1alpha1', 'Application', { source, syncPolicy: { automated: {} } }),
)

it.each<Row>([
  [
    'is told to be',
    { health: { status: 'Missing' }, sync: { status: 'OutOfSync' } },
    'Progressing',
    'OutOfSync, and nothing syncs it by itself: sync it in Argo CD',
  ],
])('an Application that a person syncs %s', check('argoproj.io/v1alpha1', 'Application', { source }))
