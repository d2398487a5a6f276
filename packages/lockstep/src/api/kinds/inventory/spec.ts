import { z } from 'zod'
import { hookFailureCauses } from '../../reasons/index.ts'
import { rules, sameName } from '../schemarules.ts'

const evidence = z.object({
  edge: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  gateDigest: z.string().optional().describe('Of a unit; an object has none.'),
  release: z.string().optional(),
})

export const admitted = z
  .object({
    revision: z.string(),
    bundle: z.string(),
    values: z.string().optional().describe('Digest of what its bindings are here.'),
    gateDigest: z.string(),
    serial: z.int().describe('Counts admissions.'),
    contentSerial: z
      .int()
      .describe(
        'Serial of the last admission that changed the bundle, or its values; later ones only verify again.',
      ),
    release: z.string().optional(),
    apart: z
      .enum(['Pinned', 'Joined'])
      .optional()
      .describe('Set: it was admitted apart from its fleet, beside what it needs as that stands.'),
    releases: z
      .array(z.string())
      .max(16)
      .optional()
      .describe('All releases that were admitted here, in the order of the first time; the last 16.'),
    change: z
      .enum(['Install', 'Upgrade', 'Rollback'])
      .optional()
      .describe(
        'What its content is to the cluster: Install until some content was delivered with success, then Upgrade, or Rollback to what is older in the history.',
      ),
    deleteHooks: z
      .boolean()
      .optional()
      .describe('It has hooks that run when the unit is deleted: its bundle is needed until then.'),
    evidence: z
      .array(evidence)
      .max(64)
      .optional()
      .describe('What was read before the swap, one entry an edge.'),
  })
  .describe('What may be delivered. Apply, repair and prune follow it, never what is desired.')

const released = z
  .object({
    at: z.string().meta({ format: 'date-time' }),
    uid: z.string().describe('Of the module that went without it.'),
    serial: z.int().describe('Of the last admission; a module that takes it up again counts on.'),
    revision: z.string().optional(),
    bundle: z.string().optional(),
  })
  .describe(
    'Set: its module is gone, and the cluster was given up. Nothing is written there by it, until a module of that name takes it up again.',
  )

const objectId = { group: z.string(), kind: z.string(), namespace: z.string().optional(), name: z.string() }

const intent = z.object({
  ...objectId,
  nonce: z.string().describe('Also an annotation of the object that is created for this intent.'),
  replaces: z
    .object({
      uid: z.string(),
      content: z.string().describe('Digest of the manifest that it is made anew for.'),
    })
    .optional()
    .describe('The object that is deleted before, since a field of it cannot change.'),
})

const inventoryObject = z.object({
  ...objectId,
  version: z.string().describe('The API version it was applied in.'),
  uid: z.string(),
  content: z.string().describe('Digest of the manifest that was applied, with what was copied into it.'),
  manifest: z.string().optional().describe('Digest of the manifest alone, where values were copied into it.'),
  fields: z.string().describe('Digest of the field set that the apply came to own.'),
  resourceVersion: z
    .string()
    .optional()
    .describe('It had this one, or a later one: what is older is from a backup of its cluster.'),
  changing: z
    .boolean()
    .optional()
    .describe(
      'Other content has been admitted since: what is on the cluster may be that already, and nobody has read an answer.',
    ),
  replaced: z
    .boolean()
    .optional()
    .describe('It was made anew for this content, since a field cannot change; that is done once.'),
  ended: z
    .boolean()
    .optional()
    .describe(
      'A Job or Pod that has succeeded, and was then deleted by somebody, such as its TTL: it is done.',
    ),
  keep: z
    .array(z.enum(['Prune', 'Delete']))
    .max(2)
    .optional()
    .describe('It is let go of instead of deleted: when its bundle no longer has it, when its unit leaves.'),
  confirm: z
    .array(z.enum(['Prune', 'Delete']))
    .max(2)
    .optional()
    .describe('A person deletes it: when its bundle no longer has it, when its unit leaves.'),
  level: z.int().describe('Depth in the order of its bundle; in one part the highest goes first.'),
  part: z
    .string()
    .optional()
    .describe('What it hangs together with in that order; absent: with no other object.'),
  early: z
    .boolean()
    .optional()
    .describe('It goes with the custom resources, since a rule of kapp wants it before one of them.'),
})

const hook = z.object({
  ...objectId,
  version: z.string().describe('The API version it is made in.'),
  phase: z.enum(['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreDelete', 'PostDelete']),
  serial: z.int().describe('The contentSerial that it runs for: with success at most once.'),
  attempt: z.int().min(1),
  attempts: z.int().min(1).describe('So many are made before it has failed.'),
  nonce: z.string().describe('Also an annotation of the object.'),
  policy: z
    .array(z.enum(['BeforeHookCreation', 'HookSucceeded', 'HookFailed']))
    .describe('When the object is deleted.'),
  timeoutSeconds: z.int(),
  startedAt: z.string().meta({ format: 'date-time' }),
  state: z.enum(['Running', 'Succeeded', 'Failed']).describe('Running is written before the object is made.'),
  uid: z.string().optional().describe('Of the object, once it was seen.'),
  endedAt: z.string().meta({ format: 'date-time' }).optional(),
  reason: z.string().optional(),
  cause: z.enum(hookFailureCauses).optional().describe('Cause of the failure of the run.'),
  message: z.string().optional().describe('Health message of the failed object.'),
})

const setSource = z.object({
  kind: z.enum(['Secret', 'ConfigMap']),
  name: z.string(),
  hash: z.string().describe('As its binding has it: of what was applied last, or tried.'),
  applied: z.boolean().describe('All objects of that were applied.'),
  lastAppliedTime: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('When the last of them was, with success.'),
  reapply: z.string().optional().describe('For this value of annotation lockstep.dev/reapply.'),
  done: z
    .array(z.object(objectId))
    .optional()
    .describe('Those of its objects that were, while others of it were not.'),
  begun: z
    .literal(true)
    .optional()
    .describe('Another content has been begun with: what is there may be of either.'),
  again: z.literal(true).optional().describe('It is being applied once more, as that annotation asks.'),
  upstream: z
    .string()
    .optional()
    .describe('The hash that Cluster API had applied, or tried: until all of it was applied by us.'),
})

const set = z
  .object({
    sources: z.array(setSource).max(1000).optional(),
    takenOver: z
      .string()
      .meta({ format: 'date-time' })
      .optional()
      .describe('When the entry of the binding was read for the first time.'),
    fieldsMayRemain: z
      .literal(true)
      .optional()
      .describe('It was said that fields of what Cluster API had applied may be there still.'),
  })
  .describe('What a ClusterResourceSet with strategy ApplyOnce or Reconcile has applied.')

export const inventorySpec = z.object({
  moduleRef: z
    .object({
      kind: z.string(),
      name: z.string(),
      uid: z.string(),
      owner: z
        .string()
        .optional()
        .describe('RemoteAssemblage of somebody else in which the record is; absent: it is of a module.'),
    })
    .meta(rules(sameName)),
  clusterRef: z.object({ kind: z.string(), name: z.string() }).meta(rules(sameName)),
  clusterUid: z.string().describe('uid of the kube-system namespace of the cluster at first contact.'),
  admitted: admitted.optional(),
  released: released.optional(),
  intents: z.array(intent).optional().describe('Written before the first create, or replacement, of a pass.'),
  waits: z
    .array(
      z.object({
        id: z.string().describe('The object and what is asked of it; of an expression a digest.'),
        serial: z.int().describe('The `contentSerial` that it was met for.'),
      }),
    )
    .optional()
    .describe('Conditions on objects outside the bundle that were met. Met once is met for that content.'),
  objects: z.array(inventoryObject).optional().describe('What is applied.'),
  set: set.optional(),
  hooks: z.array(hook).optional().describe('The last run of each hook.'),
  causes: z
    .array(
      z.object({
        cause: z.enum(['ModuleDeleted', 'Relabelled', 'RecordRemoved', 'RemovedFromBundle']),
        uid: z.string().optional().describe('Of the module.'),
        clusterUid: z
          .string()
          .optional()
          .describe('Relabelled: uid of the object by which an inventory knows the cluster.'),
        resourceVersion: z
          .string()
          .optional()
          .describe('Relabelled: the version of that object which the module does not select.'),
        begun: z
          .boolean()
          .optional()
          .describe(
            'Relabelled: something may have been deleted. Before that it is taken back where the cluster is selected again.',
          ),
        from: z.string().optional(),
        to: z.string().optional(),
      }),
    )
    .max(4)
    .optional()
    .describe('Why something is deleted; written before. Replacements are intents.'),
})

export type SetRecord = z.output<typeof set>
export type SetSourceRecord = z.output<typeof setSource>
export type InventorySpec = z.output<typeof inventorySpec>
export type InventoryObject = z.output<typeof inventoryObject>
export type WriteIntent = z.output<typeof intent>
export type HookRecord = z.output<typeof hook>
export type Admitted = z.output<typeof admitted>
