/** The table of what manifests imply, one line a row; laid in this order. */
import type { KubeObject } from '@lockstep/kube/object'
import { guardedByBudget, scaledByAutoscaler } from './autoscaler.ts'
import { admittedObjects, backingWebhook, WEBHOOK_KINDS } from './backingwebhook.ts'
import { BundleIndex } from './bundleindex.ts'
import { classesOfPod, classOfObject, NAMING_KINDS } from './classesofpod.ts'
import { backingApiService, contentOfNamespace, converted, ofApiService, ofDefinition } from './definition.ts'
import type { ImpliedEdge, ImpliedRule } from './impliedrule.ts'
import { WORKLOAD_KINDS } from './podspec.ts'
import { ROUTED_KINDS, serviceOfObject } from './serviceofobject.ts'
import { ofApplication, ofSubscription } from './subscription.ts'
import {
  accountOfWorkload,
  claimOfWorkload,
  configOfWorkload,
  POLICY_KINDS,
  policiesOfNamespace,
  roleOfBinding,
  storageClass,
  volumeOfClaim,
} from './workload.ts'

const rows: readonly (readonly [kinds: readonly string[], row: ImpliedRule])[] = [
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
export function impliedEdges(objects: readonly KubeObject[]): { implied: ImpliedEdge[]; index: BundleIndex } {
  const index = new BundleIndex(objects)
  const implied: ImpliedEdge[] = []
  for (const [kinds, row] of rows)
    for (const kind of kinds) for (const o of index.called(kind)) implied.push(...row(o, index))
  return { implied, index }
}
