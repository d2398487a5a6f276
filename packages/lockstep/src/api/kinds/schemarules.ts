import { z } from 'zod'
import { MAX_REFS, waitRef } from '../reasons/index.ts'

/** The parts that several kinds share. `.meta` carries what OpenAPI cannot say by itself (`api/schema`). */

/** A condition beyond types; `.meta({ rules: [...] })`. The API server evaluates it on every write. */
interface CelRule {
  readonly rule: string
  readonly message: string
  readonly fieldPath?: string
}

export const rules = (...all: readonly CelRule[]) => ({ rules: all })

/** Rule of a reference that identifies an object, so that it must not change. */
export const sameName: CelRule = {
  rule: 'self.kind == oldSelf.kind && self.name == oldSelf.name',
  message: 'kind and name are immutable',
}

/** RFC 1123 label: what a name must be when it becomes part of other names. */
export const dnsLabel = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

/** RFC 1123 subdomain: names of most objects. */
export const dnsName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)

/** As whom requests are sent for the object. */
export const serviceAccountName = dnsName
  .optional()
  .describe(
    'ServiceAccount in the same namespace with whose rights objects on the hub are read and written. If omitted, `lockstep-deployer`.',
  )

/** Requirement on one value of a map, beside the name of its key. */
export const requirement = {
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('Relation of the value to `values`.'),
  values: z.array(z.string()).optional().describe('Values for `In` and `NotIn`.'),
}
export const requirementRule: CelRule = {
  rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
  message: 'In and NotIn need values, Exists and DoesNotExist have none',
}

export const labelSelector = z
  .object({
    matchLabels: z.record(z.string(), z.string()).optional().describe('Labels with these values.'),
    matchExpressions: z
      .array(
        z
          .object({ key: z.string().min(1).describe('Key of the label.'), ...requirement })
          .meta(rules(requirementRule)),
      )
      .optional()
      .describe('Requirements that must all hold.'),
  })
  .describe('Label selector; {} selects everything.')

/** An integer of at least zero, or a percentage from 0% to 100% (`docs/reference`: rollout). */
export const intOrPercent = (description: string, ...limits: readonly CelRule[]) =>
  z.union([z.int32().min(0), z.string()]).meta({
    description,
    intOrString: '^([0-9]+|[0-9]{1,2}%|100%)$',
    ...(limits.length > 0 ? rules(...limits) : {}),
  })

const DURATION = '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$'

/** A duration as Go writes it: 90s, 1h30m. */
export const goDuration = (least: string, most: string, description: string) =>
  z
    .string()
    .max(32)
    .regex(new RegExp(DURATION))
    .meta(
      rules({
        rule: `!self.matches(r'${DURATION}') || duration('${least}') <= duration(self) && duration(self) <= duration('${most}')`,
        message: `must be from ${least} to ${most}`,
      }),
    )
    .describe(`${description} ${least} to ${most}.`)

export const seconds = (min: number, description: string) =>
  z.int32().min(min).max(31_536_000).describe(description)

export const condition = z.object({
  type: z.string().max(316).describe('Type of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Status of the condition.'),
  reason: z.string().max(1024).describe('Reason for the last change, in one word.'),
  message: z.string().max(32768).describe('Explanation for users.'),
  lastTransitionTime: z
    .string()
    .meta({ format: 'date-time' })
    .describe('Time of the last change of the status.'),
  observedGeneration: z.int().optional().describe('Generation that this condition describes.'),
})

export const conditions = z
  .array(condition)
  .meta({ listType: 'map', mapKeys: ['type'] })
  .describe('Conditions of the object.')

export const blocker = z
  .object({
    reason: z.string().describe('Reason in one word.'),
    message: z.string().describe('Explanation for users.'),
    since: z.string().meta({ format: 'date-time' }).describe('Time since which the reason holds.'),
    retryAfter: z.string().meta({ format: 'date-time' }).optional().describe('Time of the next attempt.'),
    on: z
      .array(waitRef)
      .max(MAX_REFS)
      .readonly()
      .optional()
      .describe('References to the objects, units or events that end the wait.'),
    facts: z
      .record(z.string(), z.unknown())
      .meta({ anyObject: true })
      .optional()
      .describe('Values that the message is rendered from.'),
    count: z.int().optional().describe('Number of clusters, of a summary.'),
    clusters: z.array(z.string()).max(10).readonly().optional().describe('First clusters of a summary.'),
  })
  .describe('Reason why an object waits.')
