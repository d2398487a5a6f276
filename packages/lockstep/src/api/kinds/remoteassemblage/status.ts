import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

const syncStatus = z.object({
  kind: z.string(),
  name: z.string(),
  revision: z.string().optional(),
  gateDigest: z.string().optional(),
  state: z.string(),
  objects: z.object({ ready: z.int(), total: z.int() }).optional(),
  blockers: z.array(blocker).max(3).optional(),
  observedSerial: z.int(),
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

export type RemoteAssemblageStatus = z.output<typeof remoteAssemblageStatus>
export type SyncStatus = z.output<typeof syncStatus>
