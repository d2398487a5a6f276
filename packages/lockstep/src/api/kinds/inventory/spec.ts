import { z } from 'zod'
import { hookFailureCauses } from '../../reasons/index.ts'
import { rules, sameName } from '../schemarules.ts'
import { assigned, deselection } from './assignment.ts'

const evidence = z.object({
  edge: z.string().describe('Entry of dependsOn, by id.'),
  uid: z.string().describe('UID of the object that was read.'),
  resourceVersion: z.string().describe('Resource version of the object that was read.'),
  gateDigest: z.string().optional().describe('Gate digest of the dependency; only for a Module.'),
  release: z.string().optional().describe('Release of the dependency.'),
})

export const admitted = z
  .object({
    revision: z.string().describe('Revision of the admission.'),
    bundle: z.string().describe('Digest of the bundle.'),
    values: z.string().optional().describe('Digest of the values of its bindings on this cluster.'),
    gateDigest: z.string().describe('Digest of the revision, release and dependencies that opened the gate.'),
    serial: z.int().describe('Number of this admission.'),
    contentSerial: z
      .int()
      .describe(
        'Number of the last admission that changed the bundle or its values. Later admissions only verify again.',
      ),
    release: z.string().optional().describe('Release of the revision.'),
    apart: z
      .enum(['Pinned', 'Joined'])
      .optional()
      .describe(
        'Reason for an admission at another revision than the fleet. `Pinned`: by a Hold. `Joined`: the stage of the cluster has not begun.',
      ),
    releases: z
      .array(z.string())
      .max(16)
      .optional()
      .describe('Last 16 releases of admissions on this cluster, in the order of their first admission.'),
    change: z
      .enum(['Install', 'Upgrade', 'Rollback'])
      .optional()
      .describe(
        'Kind of change on the cluster. `Install`: no revision succeeded before. `Upgrade`: a newer revision. `Rollback`: an earlier revision.',
      ),
    deleteHooks: z
      .boolean()
      .optional()
      .describe('Whether the bundle has hooks that run on deletion, and must be kept until then.'),
    evidence: z
      .array(evidence)
      .max(64)
      .optional()
      .describe('Objects that were read before the admission, one entry a dependency.'),
  })
  .describe(
    'Admission: the revision that may be deployed. Apply, prune and drift handling follow the admission, not the target revision.',
  )

const released = z
  .object({
    at: z.string().meta({ format: 'date-time' }).describe('Time of the orphaning.'),
    uid: z.string().describe('UID of the deleted Module.'),
    serial: z.int().describe('Number of the last admission; a later Module continues from it.'),
    revision: z.string().optional().describe('Revision at that time.'),
    bundle: z.string().optional().describe('Digest of its bundle.'),
  })
  .describe(
    'Set when orphaned: the objects stay unmanaged until a Module of this name is deployed to the cluster again.',
  )

const objectId = {
  group: z.string().describe('API group of the object.'),
  kind: z.string().describe('Kind of the object.'),
  namespace: z.string().optional().describe('Namespace of the object.'),
  name: z.string().describe('Name of the object.'),
}

const intent = z.object({
  ...objectId,
  nonce: z.string().describe('Unique text, also in an annotation of the object that this intent creates.'),
  replaces: z
    .object({
      uid: z.string().describe('UID of the object to delete.'),
      content: z.string().describe('Digest of the manifest for which the object is recreated.'),
    })
    .optional()
    .describe('Object that is deleted first, because one of its fields is immutable.'),
  takes: z
    .object({
      uid: z.string().describe('UID of the object.'),
      from: z.string().describe('Label of the unit that has it.'),
      existed: z.boolean().optional().describe('Whether the object existed before Lockstep applied it.'),
      inherited: z
        .boolean()
        .optional()
        .describe(
          'Whether this unit has objects in the Namespace, or of the kind, and not the object itself.',
        ),
    })
    .optional()
    .describe('Object of another unit that changes hands; nothing is created.'),
})

const inventoryObject = z.object({
  ...objectId,
  version: z.string().describe('API version in which the object was applied.'),
  uid: z.string().describe('UID of the object.'),
  content: z.string().describe('Digest of the applied manifest, including the values of its bindings.'),
  manifest: z.string().optional().describe('Digest of the manifest without the values of its bindings.'),
  fields: z.string().describe('Digest of the fields that Lockstep owns after the apply.'),
  resourceVersion: z
    .string()
    .optional()
    .describe(
      'Resource version after the apply. An older one shows a cluster that was restored from a backup.',
    ),
  changing: z
    .boolean()
    .optional()
    .describe(
      'Whether an admission of newer content exists whose write has no answer yet. The cluster may have either content.',
    ),
  replaced: z
    .boolean()
    .optional()
    .describe('Recreated for this content, because a field is immutable; this is done once.'),
  ended: z
    .boolean()
    .optional()
    .describe('Whether a Job or Pod succeeded and was deleted later, for example by its TTL.'),
  from: z
    .string()
    .optional()
    .describe('Label of the unit that handed the object over; until this unit applies it.'),
  inherited: z
    .boolean()
    .optional()
    .describe(
      'Handed over to this unit because it has objects in the Namespace, or of the kind. Not applied; deleted with the last of them.',
    ),
  existed: z.boolean().optional().describe('Whether the object existed before Lockstep applied it.'),
  keep: z
    .array(z.enum(['Prune', 'Delete']))
    .max(2)
    .optional()
    .describe(
      'Orphan instead of delete. `Prune`: when the object is no longer in the bundle. `Delete`: when the Module is removed from the cluster.',
    ),
  confirm: z
    .array(z.enum(['Prune', 'Delete']))
    .max(2)
    .optional()
    .describe(
      'Deletions that need confirmation. `Prune`: when the object is no longer in the bundle. `Delete`: when the Module is removed from the cluster.',
    ),
  level: z
    .int()
    .describe(
      'Depth of the object in the order of its bundle; within a part the deepest object is deleted first.',
    ),
  part: z
    .string()
    .optional()
    .describe('Group of objects that are ordered against each other; omitted if the object has no order.'),
  early: z
    .boolean()
    .optional()
    .describe(
      'Whether a kapp rule places the object before a custom resource, so that both are deleted together.',
    ),
})

const hook = z.object({
  ...objectId,
  version: z.string().describe('API version in which the hook is created.'),
  phase: z
    .enum(['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreDelete', 'PostDelete'])
    .describe('Phase in which the hook runs.'),
  serial: z.int().describe('Content serial for which the hook runs; it succeeds at most once for a serial.'),
  attempt: z.int().min(1).describe('Number of this attempt.'),
  attempts: z.int().min(1).describe('Attempts after which the hook has failed.'),
  nonce: z.string().describe('Unique text, also in an annotation of the object.'),
  policy: z
    .array(z.enum(['BeforeHookCreation', 'HookSucceeded', 'HookFailed']))
    .describe('When the object is deleted.'),
  timeoutSeconds: z.int().describe('Timeout of one attempt.'),
  startedAt: z.string().meta({ format: 'date-time' }).describe('Time of the start.'),
  state: z.enum(['Running', 'Succeeded', 'Failed']).describe('Running is written before the object is made.'),
  uid: z.string().optional().describe('UID of the object, once it was observed.'),
  endedAt: z.string().meta({ format: 'date-time' }).optional().describe('Time of the end.'),
  reason: z.string().optional().describe('Reason for the failure.'),
  cause: z.enum(hookFailureCauses).optional().describe('Cause of the failure of the run.'),
  message: z.string().optional().describe('Health message of the failed object.'),
})

const setSource = z.object({
  kind: z.enum(['Secret', 'ConfigMap']).describe('Kind of the source.'),
  name: z.string().describe('Name of the source.'),
  hash: z
    .string()
    .describe('Hash of the content that was applied last, or tried, as in the ClusterResourceSetBinding.'),
  applied: z.boolean().describe('Whether all objects of this content were applied.'),
  lastAppliedTime: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('Time of the last successful apply.'),
  reapply: z
    .string()
    .optional()
    .describe('Value of annotation lockstep.dev/reapply for which the source was applied.'),
  done: z
    .array(z.object(objectId))
    .optional()
    .describe('Objects that were applied while others of the source failed.'),
  begun: z
    .literal(true)
    .optional()
    .describe('Whether an apply of newer content began. The cluster may have objects of either content.'),
  again: z.literal(true).optional().describe('Whether the source is being applied again for the annotation.'),
  upstream: z
    .string()
    .optional()
    .describe('Hash that Cluster API had applied, or tried. Removed when Lockstep has applied all objects.'),
})

const set = z
  .object({
    sources: z.array(setSource).max(1000).optional().describe('Sources of the set.'),
    takenOver: z
      .string()
      .meta({ format: 'date-time' })
      .optional()
      .describe('Time at which the ClusterResourceSetBinding of Cluster API was read first.'),
    fieldsMayRemain: z
      .literal(true)
      .optional()
      .describe('Whether a warning was recorded that fields applied by Cluster API may remain.'),
  })
  .describe('Record of a ClusterResourceSet with strategy `ApplyOnce` or `Reconcile`.')

export const inventorySpec = z.object({
  moduleRef: z
    .object({
      kind: z.string().describe('Kind of the Module.'),
      name: z.string().describe('Name of the Module.'),
      uid: z.string().describe('UID of the Module.'),
      owner: z
        .string()
        .optional()
        .describe(
          'RemoteAssemblage of an external controller that holds the assignment; omitted for a Module.',
        ),
    })
    .meta(rules(sameName))
    .describe('Module of this Inventory.'),
  clusterRef: z
    .object({
      kind: z.string().describe('Kind of the cluster.'),
      name: z.string().describe('Name of the cluster.'),
    })
    .meta(rules(sameName))
    .describe('Cluster of this Inventory.'),
  clusterUid: z
    .string()
    .describe('UID of the kube-system namespace of the cluster at first contact; empty before.'),
  assigned: assigned.optional(),
  admitted: admitted.optional(),
  released: released.optional(),
  intents: z
    .array(intent)
    .optional()
    .describe('Intents to create or recreate objects, written before the first request of a pass.'),
  waits: z
    .array(
      z.object({
        id: z.string().describe('Object and condition; for an expression a digest.'),
        serial: z.int().describe('Content serial for which the condition was met.'),
      }),
    )
    .optional()
    .describe('Wait conditions that were met. A condition is met once for each content.'),
  objects: z.array(inventoryObject).optional().describe('Applied objects.'),
  set: set.optional(),
  hooks: z.array(hook).optional().describe('Last run of each hook.'),
  causes: z
    .array(
      z.object({
        cause: z
          .enum(['ModuleDeleted', 'Relabelled', 'RecordRemoved', 'RemovedFromBundle'])
          .describe('Cause of the deletion.'),
        uid: z.string().optional().describe('UID of the Module.'),
        ...deselection,
        begun: z
          .boolean()
          .optional()
          .describe(
            'With `Relabelled`: whether objects may be deleted already. Before that, a cluster that is selected again keeps its objects.',
          ),
        from: z.string().optional().describe('With `RemovedFromBundle`: revision before the change.'),
        to: z.string().optional().describe('With `RemovedFromBundle`: revision after the change.'),
      }),
    )
    .max(4)
    .optional()
    .describe('Causes of deletions, written before the first request. Recreations are intents.'),
})

export type SetRecord = z.output<typeof set>
export type SetSourceRecord = z.output<typeof setSource>
export type InventorySpec = z.output<typeof inventorySpec>
export type InventoryObject = z.output<typeof inventoryObject>
export type WriteIntent = z.output<typeof intent>
export type HookRecord = z.output<typeof hook>
export type Admitted = z.output<typeof admitted>
