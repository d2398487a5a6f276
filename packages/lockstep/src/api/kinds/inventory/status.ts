import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

export const inventoryStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: conditions.optional(),
  revision: z.string().optional().describe('The revision that is completely delivered.'),
  contentDigest: z.string().optional(),
  verifiedGateDigest: z
    .string()
    .optional()
    .describe(
      'The gate digest at which health was read after the last write and after the last edge opened.',
    ),
  observedSerial: z.int().optional().describe('Serial of the record that this answers.'),
  admittedSerial: z.int().optional().describe('Serial of the admission that this status describes.'),
  health: z.enum(['Healthy', 'Progressing', 'Failed']).optional().describe('Of what is admitted.'),
  doneBeforeWave: z
    .int()
    .optional()
    .describe(
      'Of what is admitted: everything in waves before this one is done. The highest that an edge asks for; absent: none asks, or it is not.',
    ),
  state: z.string().optional(),
  objects: z
    .object({ total: z.int(), applied: z.int(), ready: z.int(), failed: z.int(), blocked: z.int() })
    .optional(),
  ready: z.string().optional(),
  lastDrift: z
    .object({ at: z.string().meta({ format: 'date-time' }), message: z.string() })
    .optional()
    .describe('What others changed and was put right last.'),
  blockers: z.array(blocker).max(10).optional(),
})

export type InventoryStatus = z.output<typeof inventoryStatus>
