/** The table of what manifests imply, one line a row; laid in this order. */
import type { KubeObject } from '../../../../packages/kube/src/object/index.ts'
import { BundleIndex } from './bundle.ts'
import { classesOfPod, classOfObject, NAMING_KINDS } from './classes.ts'
import {
  backingApiService,
  contentOfNamespace,
  converted,
  ofApiService,
  ofDefinition,
} from './definitions.ts'
import { ofApplication, ofSubscription } from './patterns.ts'
import {
  accountOfWorkload,
  claimOfWorkload,
  configOfWorkload,
  POLICY_KINDS,
  policiesOfNamespace,
  roleOfBinding,
  storageClass,
  volumeOfClaim,
} from './pods.ts'
import { WORKLOAD_KINDS } from './podspec.ts'
import type { Implied, Row } from './row.ts'
import { guardedByBudget, scaledByAutoscaler } from './scaling.ts'
import { ROUTED_KINDS, serviceOfObject } from './services.ts'
import { admittedObjects, backingWebhook, WEBHOOK_KINDS } from './webhooks.ts'

const rows: readonly (readonly [kinds: readonly string[], row: Row])[] = [
  [['Namespace'], contentOfNamespace],
  [['CustomResourceDefinition'], ofDefinition],
  [['CustomResourceDefinition'], converted],
  [['APIService'], backingApiService],
  [['APIService'], ofApiService],
  [['RoleBinding', 'ClusterRoleBinding'], roleOfBinding],
  [WORKLOAD_KINDS, accountOfWorkload],
  [WORKLOAD_KINDS, configOfWorkload],
  [POLICY_KINDS, policiesOfNamespace],
  [['PersistentVolume', 'PersistentVolumeClaim', 'StatefulSet'], storageClass],
  [['PersistentVolumeClaim'], volumeOfClaim],
  [WORKLOAD_KINDS, claimOfWorkload],
  [WORKLOAD_KINDS, classesOfPod],
  [NAMING_KINDS, classOfObject],
  [ROUTED_KINDS, serviceOfObject],
  [WEBHOOK_KINDS, backingWebhook],
  [WEBHOOK_KINDS, admittedObjects],
  [['HorizontalPodAutoscaler'], scaledByAutoscaler],
  [['PodDisruptionBudget'], guardedByBudget],
  [['Subscription'], ofSubscription],
  [['Application'], ofApplication],
]

/** All that is implied, row by row, and the index that found it. */
export function impliedBy(objects: readonly KubeObject[]): { implied: Implied[]; index: BundleIndex } {
  const index = new BundleIndex(objects)
  const implied: Implied[] = []
  for (const [kinds, row] of rows)
    for (const kind of kinds) for (const o of index.called(kind)) implied.push(...row(o, index))
  return { implied, index }
}
