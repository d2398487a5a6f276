import { z } from 'zod'
import { dnsLabel, dnsName, rules } from './scalars.ts'

const targetRef = z.object({
  kind: z.enum(['Module', 'BootstrapModule']),
  name: dnsLabel,
})

export const holdSpec = z
  .object({
    targetRef: targetRef.describe('What is held, in this namespace.'),
    clusters: z.array(dnsName).min(1).max(1000).optional().describe('Only there; absent: everywhere.'),
    action: z
      .enum(['Pause', 'Pin'])
      .default('Pause')
      .describe('Pause: it stays as it is. Pin: it goes to a revision, and stays there.'),
    scope: z
      .enum(['Writes', 'Starts'])
      .default('Writes')
      .describe(
        'Of a Pause. Writes: nothing is admitted, and nothing is written any more, repairs neither. Starts: what is under way finishes.',
      ),
    revision: z.string().min(10).max(80).optional().describe('Of a Pin: in full, or its first ten digits.'),
    reason: z.string().min(1).max(1024).describe('Why, for whoever meets it.'),
    until: z.string().meta({ format: 'date-time' }).optional().describe('After that it means nothing.'),
  })
  .meta(
    rules(
      {
        rule: "(self.action == 'Pin') == has(self.revision)",
        message: 'a Pin needs a revision, a Pause has none',
        fieldPath: '.revision',
      },
      {
        rule: "self.action == 'Pause' || self.scope == 'Writes'",
        message: 'is for a Pause',
        fieldPath: '.scope',
      },
    ),
  )

export type HoldSpec = z.output<typeof holdSpec>
