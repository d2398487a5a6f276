import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

export const inventoryStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  conditions: conditions.optional(),
  revision: z.string().optional().describe('Revision that is deployed completely.'),
  contentDigest: z.string().optional().describe('Digest of the deployed content.'),
  verifiedGateDigest: z
    .string()
    .optional()
    .describe(
      'Gate digest at which health was verified after the last write and after the last dependency became ready.',
    ),
  observedSerial: z.int().optional().describe('Serial of the assignment that this status answers.'),
  admittedSerial: z.int().optional().describe('Number of the admission that this status describes.'),
  health: z
    .enum(['Healthy', 'Progressing', 'Failed'])
    .optional()
    .describe('Health of the revision of the admission.'),
  doneBeforeWave: z
    .int()
    .optional()
    .describe(
      'Wave before which all objects of the admission are done; the highest wave that a dependency requests.',
    ),
  state: z.string().optional().describe('State of the Module on this cluster.'),
  objects: z
    .object({
      total: z.int().describe('Objects in the bundle.'),
      applied: z.int().describe('Applied objects.'),
      ready: z.int().describe('Ready objects.'),
      failed: z.int().describe('Failed objects.'),
      blocked: z.int().describe('Blocked objects.'),
    })
    .optional()
    .describe('Counts of objects.'),
  ready: z.string().optional().describe('Ready objects of all, as ready/total.'),
  lastDrift: z
    .object({
      at: z.string().meta({ format: 'date-time' }).describe('Time of the revert.'),
      message: z.string().describe('Description of the drift.'),
    })
    .optional()
    .describe('Drift that was reverted last.'),
  blockers: z.array(blocker).max(10).optional().describe('Reasons why the Module waits on this cluster.'),
})

export type InventoryStatus = z.output<typeof inventoryStatus>
