import { z } from 'zod'

/** The object of a cluster that a Module deselected. */
export const deselection = {
  clusterUid: z
    .string()
    .optional()
    .describe('With `Relabelled`: UID of the object by which an inventory identifies the cluster.'),
  resourceVersion: z
    .string()
    .optional()
    .describe('With `Relabelled`: resource version of that object at which the Module does not select it.'),
}

export const assigned = z
  .object({
    uid: z.string().describe('UID of the Module, which differs after the Module is recreated.'),
    revision: z.string().describe('Target revision: a published revision of the Module.'),
    bundle: z.string().describe('Digest of the bundle.'),
    values: z
      .string()
      .optional()
      .describe('Digest of the values of its bindings on this cluster; omitted if the manifests use none.'),
    release: z.string().optional().describe('Release of the revision.'),
    stage: z.string().describe('Stage of the cluster.'),
    apart: z
      .enum(['Pinned', 'Joined'])
      .optional()
      .describe(
        'Reason for another revision than the fleet. `Pinned`: by a Hold. `Joined`: the stage of the cluster has not begun, so it gets the last complete revision.',
      ),
    serial: z.int().describe('Number of writes of this assignment. A status is current only at this serial.'),
    removal: z
      .object({
        cause: z.enum(['ModuleDeleted', 'Relabelled', 'RecordRemoved']).describe('Cause of the removal.'),
        policy: z
          .enum(['Delete', 'Orphan'])
          .describe('Handling of the objects. `Delete`: deleted. `Orphan`: left in place, unmanaged.'),
        ...deselection,
      })
      .optional()
      .describe('Set while the Module is removed from this cluster. The Inventory is deleted at the end.'),
  })
  .describe(
    'Assignment: the revision that the unit should get, or its removal. Written by the Module only; omitted for an external controller.',
  )

export type Assignment = z.output<typeof assigned>
