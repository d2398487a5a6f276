import { z } from 'zod'
import { dnsLabel, dnsName, rules } from '../schemarules.ts'

const fields = z.object({
  targetRef: z
    .object({
      kind: z.enum(['Module', 'BootstrapModule', 'Pipeline']).describe('Kind of the object.'),
      name: dnsName.describe('Name of the object.'),
    })
    .describe('Module or Pipeline that the Hold applies to, in this namespace.'),
  clusters: z
    .array(dnsName)
    .min(1)
    .max(1000)
    .optional()
    .describe('Clusters that the Hold applies to; all if omitted.'),
  environments: z
    .array(dnsLabel)
    .min(1)
    .max(32)
    .optional()
    .describe('Environments of the Pipeline that the Hold applies to; all if omitted.'),
  passedBy: z
    .string()
    .max(253)
    .optional()
    .describe('Promotion that rolls a Pipeline back and continues in spite of the Hold.'),
  action: z
    .enum(['Suspend', 'Pause', 'Pin'])
    .default('Suspend')
    .describe(
      'Effect of the Hold. `Suspend`: nothing is written, and drift is not reverted. `Pause`: no new deployment starts; running ones finish, and drift is reverted. `Pin`: the named clusters stay at `revision`. A Pipeline takes `Suspend` only.',
    ),
  revision: z
    .string()
    .min(10)
    .max(80)
    .optional()
    .describe('Revision of a Pin: in full, or at least its first ten digits.'),
  reason: z.string().min(1).max(1024).describe('Reason shown to users.'),
  until: z.string().meta({ format: 'date-time' }).optional().describe('Expiration time.'),
})

export const holdSpec = fields.meta(
  rules(
    {
      rule: "(has(self.action) && self.action == 'Pin') == has(self.revision)",
      message: 'must be set for a Pin, and must not be set for a Suspend or Pause',
      fieldPath: '.revision',
    },
    {
      rule: "self.targetRef.kind == 'Pipeline' || !(has(self.environments) || has(self.passedBy))",
      message: 'requires a targetRef of kind Pipeline',
      fieldPath: '.environments',
    },
    {
      rule: "self.targetRef.kind != 'Pipeline' || !(has(self.clusters) || has(self.revision) || has(self.action) && self.action != 'Suspend')",
      message: 'a Pipeline can only be suspended, as a whole or by environments',
      fieldPath: '.action',
    },
    {
      rule: "!has(self.action) || self.action != 'Pin' || has(self.clusters)",
      message: 'must be set for a Pin; to roll back all clusters, use lockstep rollout undo',
      fieldPath: '.clusters',
    },
  ),
)

export type HoldSpec = z.output<typeof holdSpec>
