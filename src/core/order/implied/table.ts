/** The table of what manifests imply, one line a row; laid in this order. */
import type { KubeObject } from '../../../object/object.ts'
import { BundleIndex } from './bundle.ts'
import { classesOfPod, classOfObject } from './classes.ts'
import { backingApiService, converted, inNamespace, ofApiService, ofDefinition } from './definitions.ts'
import {
  accountOfWorkload,
  claimOfWorkload,
  configOfWorkload,
  policiesOfNamespace,
  roleOfBinding,
  storageClass,
  volumeOfClaim,
} from './pods.ts'
import type { Implied, Row } from './row.ts'
import { guardedByBudget, ofSubscription, scaledByAutoscaler } from './scaling.ts'
import { serviceOfObject } from './services.ts'
import { admittedObjects, backingWebhook } from './webhooks.ts'

const rows: readonly Row[] = [
  inNamespace,
  ofDefinition,
  converted,
  backingApiService,
  ofApiService,
  roleOfBinding,
  accountOfWorkload,
  configOfWorkload,
  policiesOfNamespace,
  storageClass,
  volumeOfClaim,
  claimOfWorkload,
  classesOfPod,
  classOfObject,
  serviceOfObject,
  backingWebhook,
  admittedObjects,
  scaledByAutoscaler,
  guardedByBudget,
  ofSubscription,
]

/** All that is implied, row by row, and the index that found it. */
export function impliedBy(objects: readonly KubeObject[]): { implied: Implied[]; index: BundleIndex } {
  const index = new BundleIndex(objects)
  return { implied: rows.flatMap((row) => objects.flatMap((o) => row(o, index))), index }
}
