import { z } from 'zod'
import { rules, sameName } from '../schemarules.ts'

const kind = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]{0,62}$/)
  .describe('Module or BootstrapModule; in an assemblage of somebody else what they call it.')
const name = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)

const record = z
  .object({
    kind,
    name,
    uid: z.string().describe('uid of the Module, so that a recreated one is another.'),
    revision: z.string().describe('What a module of the namespace has published.'),
    bundle: z.string().describe('Digest of its manifests.'),
    values: z
      .string()
      .optional()
      .describe('Digest of what its bindings are here; absent: its manifests mention none.'),
    release: z.string().optional(),
    gate: z.enum(['Open']).describe('As the scheduler saw it; the executor looks again.'),
    stage: z.string(),
    apart: z
      .enum(['Pinned', 'Joined'])
      .optional()
      .describe(
        'Set: not at what the module wants of its fleet. Pinned: by a Hold. Joined: its stage is still to come, and until then it has what was complete last.',
      ),
    serial: z.int().describe('Counts the writes of this record; a status counts only for its serial.'),
    removal: z
      .object({
        cause: z.enum(['ModuleDeleted', 'Relabelled', 'RecordRemoved']),
        policy: z.enum(['Delete', 'Orphan']),
        clusterUid: z
          .string()
          .optional()
          .describe('Relabelled: uid of the object by which an inventory knows the cluster.'),
        resourceVersion: z
          .string()
          .optional()
          .describe('Relabelled: the version of that object which the module does not select.'),
      })
      .optional()
      .describe('Set: the unit leaves this cluster. The record goes when its Inventory is gone.'),
  })
  .describe('One module on this cluster. Written by that Module alone.')

/** Somebody else need not know what only Modules count. */
const anyRecord = record.partial({ uid: true, gate: true, stage: true, serial: true }).meta(
  rules({
    rule: "!(self.kind in ['Module', 'BootstrapModule']) || (has(self.uid) && has(self.gate) && has(self.stage) && has(self.serial))",
    message: 'a record of a module has uid, gate, stage and serial; others use a kind of their own',
  }),
)

export const remoteAssemblageSpec = z.object({
  clusterRef: z
    .object({ kind: z.string(), namespace: z.string().optional(), name: z.string() })
    .meta(rules(sameName)),
  syncs: z
    .array(anyRecord)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] }),
})

/** As Modules write them. */
export type RemoteAssemblageSpec = Omit<z.output<typeof remoteAssemblageSpec>, 'syncs'> & {
  syncs?: Assignment[] | undefined
}
/** As somebody else does. */
export type ExternalAssignment = z.output<typeof anyRecord>
export type ExternalAssemblageSpec = z.output<typeof remoteAssemblageSpec>
export type Assignment = z.output<typeof record>
