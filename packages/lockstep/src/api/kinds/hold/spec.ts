import { z } from 'zod'
import { dnsLabel, dnsName, rules } from '../schemarules.ts'

const fields = z.object({
  targetRef: z
    .object({ kind: z.enum(['Module', 'BootstrapModule', 'Pipeline']), name: dnsName })
    .describe('What is held, in this namespace.'),
  clusters: z.array(dnsName).min(1).max(1000).optional().describe('Only there; absent: everywhere.'),
  environments: z
    .array(dnsLabel)
    .min(1)
    .max(32)
    .optional()
    .describe('Of a Pipeline: only into these; absent: all.'),
  passedBy: z
    .string()
    .max(253)
    .optional()
    .describe('Of a Pipeline: the promotion that leads back, which alone may go on.'),
  action: z
    .enum(['Pause', 'Pin'])
    .default('Pause')
    .describe('Pause: it stays as it is. Pin: it goes to a revision, and stays there.'),
  revision: z.string().min(10).max(80).optional().describe('Of a Pin: in full, or its first ten digits.'),
  scope: z
    .enum(['Writes', 'Starts'])
    .default('Writes')
    .describe(
      'Writes: nothing is admitted, and nothing is written any more, repairs neither. Starts: what is under way finishes.',
    ),
  reason: z.string().min(1).max(1024).describe('Why, for whoever meets it.'),
  until: z.string().meta({ format: 'date-time' }).optional().describe('After that it means nothing.'),
})

export const holdSpec = fields.meta(
  rules(
    {
      rule: "(has(self.action) && self.action == 'Pin') == has(self.revision)",
      message: 'a Pin needs a revision, a Pause has none',
      fieldPath: '.revision',
    },
    {
      rule: "self.targetRef.kind == 'Pipeline' || !(has(self.environments) || has(self.passedBy))",
      message: 'is for a Pipeline',
      fieldPath: '.environments',
    },
    {
      rule: "self.targetRef.kind != 'Pipeline' || !(has(self.clusters) || has(self.revision))",
      message: 'a Pipeline is held as a whole, or by environments',
      fieldPath: '.clusters',
    },
    {
      rule: "!has(self.action) || self.action != 'Pin' || has(self.clusters)",
      message: 'a Pin names clusters: lockstep rollout undo leads all of them back',
      fieldPath: '.clusters',
    },
    {
      rule: "!has(self.action) || self.action != 'Pin' || !has(self.scope) || self.scope == 'Writes'",
      message: 'is for a Pause',
      fieldPath: '.scope',
    },
  ),
)

export type HoldSpec = z.output<typeof holdSpec>
