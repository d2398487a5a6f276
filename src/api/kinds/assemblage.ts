import { z } from 'zod'
import { blocker, conditions, rules, sameName } from './scalars.ts'

const moduleKind = z.enum(['Module', 'BootstrapModule'])

const record = z
  .object({
    kind: moduleKind,
    name: z.string(),
    uid: z.string().describe('uid of the Module, so that a recreated one is another.'),
    revision: z.string(),
    bundle: z.string(),
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
      .object({ cause: z.enum(['ModuleDeleted', 'Relabelled']), policy: z.enum(['Delete', 'Orphan']) })
      .optional()
      .describe('Set: the unit leaves this cluster. The record goes when its Inventory is gone.'),
  })
  .describe('One module on this cluster. Written by that Module alone.')

const syncStatus = z.object({
  kind: moduleKind,
  name: z.string(),
  revision: z.string().optional(),
  gateDigest: z.string().optional(),
  state: z.string(),
  objects: z.object({ ready: z.int(), total: z.int() }).optional(),
  blockers: z.array(blocker).max(3).optional(),
  observedSerial: z.int(),
})

export const remoteAssemblageSpec = z.object({
  clusterRef: z
    .object({ kind: z.string(), namespace: z.string().optional(), name: z.string() })
    .meta(rules(sameName)),
  syncs: z
    .array(record)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] }),
})

export const remoteAssemblageStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: conditions.optional(),
  clusterUid: z
    .string()
    .optional()
    .describe('uid of the kube-system namespace of the cluster at first contact, or as accepted since.'),
  objectUid: z
    .string()
    .optional()
    .describe('uid of the object in the inventory through which it was reached then.'),
  cluster: z.string().optional().describe('State of the cluster: Connected, Unreachable, …'),
  ready: z.string().optional(),
  syncs: z
    .array(syncStatus)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] }),
})

export type RemoteAssemblageSpec = z.output<typeof remoteAssemblageSpec>
export type RemoteAssemblageStatus = z.output<typeof remoteAssemblageStatus>
export type SyncRecord = z.output<typeof record>
export type SyncStatus = z.output<typeof syncStatus>
