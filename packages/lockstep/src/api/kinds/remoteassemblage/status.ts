import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

const syncStatus = z.object({
  kind: z.string().describe('Kind of the unit.'),
  name: z.string().describe('Name of the unit.'),
  revision: z.string().optional().describe('Deployed revision.'),
  gateDigest: z.string().optional().describe('Gate digest at which health was verified.'),
  state: z.string().describe('State of the Module on this cluster.'),
  objects: z
    .object({ ready: z.int().describe('Ready objects.'), total: z.int().describe('Objects in the bundle.') })
    .optional()
    .describe('Counts of objects.'),
  blockers: z.array(blocker).max(3).optional().describe('Reasons why the Module waits on this cluster.'),
  observedSerial: z.int().describe('Serial of the assignment that this entry answers.'),
})

export const remoteAssemblageStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  conditions: conditions.optional(),
  clusterUid: z
    .string()
    .optional()
    .describe('UID of the kube-system namespace of the cluster, at first contact or as accepted later.'),
  objectUid: z
    .string()
    .optional()
    .describe('UID of the inventory object through which the cluster was reached at that time.'),
  cluster: z.string().optional().describe('State of the cluster, such as Connected or Unreachable.'),
  blockers: z
    .array(blocker)
    .max(1)
    .optional()
    .describe('Reason why nothing is deployed to the cluster, or soon nothing can be.'),
  ready: z.string().optional().describe('Ready Modules of all, as ready/total.'),
  syncs: z
    .array(syncStatus)
    .optional()
    .meta({ listType: 'map', mapKeys: ['kind', 'name'] })
    .describe('State of units: all that are not ready, then others, 200 in all.'),
})

export type RemoteAssemblageStatus = z.output<typeof remoteAssemblageStatus>
export type SyncStatus = z.output<typeof syncStatus>
