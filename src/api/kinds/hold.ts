import { z } from 'zod'
import { dnsLabel, dnsName } from './scalars.ts'

export const holdSpec = z.object({
  targetRef: z
    .object({ kind: z.enum(['Module', 'BootstrapModule']), name: dnsLabel })
    .describe('What is held, in this namespace.'),
  clusters: z.array(dnsName).min(1).max(1000).optional().describe('Only there; absent: everywhere.'),
  action: z.enum(['Pause']).default('Pause').describe('Pause: it stays as it is.'),
  scope: z
    .enum(['Writes', 'Starts'])
    .default('Writes')
    .describe(
      'Writes: nothing is admitted, and nothing is written any more, repairs neither. Starts: what is under way finishes.',
    ),
  reason: z.string().min(1).max(1024).describe('Why, for whoever meets it.'),
  until: z.string().meta({ format: 'date-time' }).optional().describe('After that it means nothing.'),
})

export type HoldSpec = z.output<typeof holdSpec>
