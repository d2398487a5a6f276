import { z } from 'zod'
import { rules, sameName } from '../schemarules.ts'

const kind = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]{0,62}$/)
  .describe('Kind of the Module; an external controller uses a kind of its own.')
const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)

const record = z
  .object({
    kind,
    name: name.describe('Name of the Module.'),
    uid: z.string().describe('UID of the Module, which differs after the Module is recreated.'),
    revision: z.string().describe('Target revision: a published revision of a Module of the namespace.'),
    bundle: z.string().describe('Digest of the bundle.'),
    values: z
      .string()
      .optional()
      .describe('Digest of the values of its bindings on this cluster; omitted if the manifests use none.'),
    release: z.string().optional().describe('Release of the revision.'),
    gate: z
      .enum(['Open'])
      .describe('State of the gate that the scheduler read; the executor reads it again.'),
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
        clusterUid: z
          .string()
          .optional()
          .describe('With `Relabelled`: UID of the object by which an inventory identifies the cluster.'),
        resourceVersion: z
          .string()
          .optional()
          .describe(
            'With `Relabelled`: resource version of that object at which the Module does not select it.',
          ),
      })
      .optional()
      .describe(
        'Set while the Module is removed from this cluster. The assignment is deleted after its Inventory.',
      ),
  })
  .describe('Assignment of one Module to this cluster. Written by that Module only.')

/** External controllers omit fields that only Modules use. */
const anyRecord = record.partial({ uid: true, gate: true, stage: true, serial: true }).meta(
  rules({
    rule: "!(self.kind in ['Module', 'BootstrapModule']) || (has(self.uid) && has(self.gate) && has(self.stage) && has(self.serial))",
    message:
      'an assignment of a Module must set uid, gate, stage and serial; an external controller uses another kind',
  }),
)

export const remoteAssemblageSpec = z.object({
  clusterRef: z
    .object({
      kind: z.string().describe('Kind of the cluster.'),
      namespace: z.string().optional().describe('Namespace of the cluster.'),
      name: z.string().describe('Name of the cluster.'),
    })
    .meta(rules(sameName))
    .describe('Cluster of this RemoteAssemblage.'),
  syncs: z
    .array(anyRecord)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] })
    .describe('Assignments, one a Module.'),
})

/** As Modules write them. */
export type RemoteAssemblageSpec = Omit<z.output<typeof remoteAssemblageSpec>, 'syncs'> & {
  syncs?: Assignment[] | undefined
}
/** Assignments and assemblages of external controllers. */
export type ExternalAssignment = z.output<typeof anyRecord>
export type ExternalAssemblageSpec = z.output<typeof remoteAssemblageSpec>
export type Assignment = z.output<typeof record>
