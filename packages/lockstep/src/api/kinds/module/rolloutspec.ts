import { z } from 'zod'
import { dnsLabel, dnsName, intOrPercent, labelSelector, rules, seconds } from '../schemarules.ts'

/** Fields of a cron schedule: name, range, and pattern of one value. */
const FIELDS = [
  ['minute', '0 to 59', '[0-5]?[0-9]'],
  ['hour', '0 to 23', '([01]?[0-9]|2[0-3])'],
  ['day of month', '1 to 31', '(0?[1-9]|[12][0-9]|3[01])'],
  ['month', '1 to 12, or JAN to DEC', '(0?[1-9]|1[0-2]|[A-Za-z]{3})'],
  ['day of week', '0 to 7, or SUN to SAT', '([0-7]|[A-Za-z]{3})'],
] as const

/** Values, ranges, lists and steps: one rule a field, so that the message says which one is wrong. */
const cronRules = FIELDS.map(([name, range, value], i) => {
  const part = `([*]|${value}(-${value})?)(/[0-9]{1,2})?`
  return {
    rule: `self.matches(r'^([^ ]+ ){${i}}${part}(,${part})*( |$)')`,
    message: `${name} (field ${i + 1} of 5): ${range}; for example 0 22 * * 1-5`,
  }
})

const window = z.object({
  action: z
    .enum(['Allow', 'Deny'])
    .default('Allow')
    .describe(
      'Action of the window. `Allow`: starts are allowed. `Deny`: starts are denied, even in an `Allow` window.',
    ),
  schedule: z
    .string()
    .min(9)
    .max(128)
    .regex(/^([^ ]+ ){4}[^ ]+$/)
    .meta(rules(...cronRules))
    .describe(
      'Start of the window: minute, hour, day of month, month and day of week, such as 0 22 * * 1-5.',
    ),
  durationSeconds: seconds(60, 'Length of the window.'),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .describe('IANA time zone of the schedule, such as Europe/Berlin.'),
})

export const windows = z
  .array(window)
  .max(16)
  .optional()
  .describe('Times at which deployments may start. Without an `Allow` window, all times that are not denied.')

const approvalField = (text: string) => z.enum(['None', 'Required']).default('None').describe(text)

const gate = z.object({
  apiVersion: z.string().min(1).max(317).describe('API version of the object.'),
  kind: z.string().min(1).max(63).describe('Kind of the object.'),
  name: z.string().min(1).max(253).describe('Name of the object.'),
  readyExpr: z
    .string()
    .min(1)
    .max(16_384)
    .optional()
    .describe('CEL expression over `object`; replaces the health rule of its kind.'),
})

const AT_LEAST_ONE = {
  rule: "self != 0 && self != '0' && self != '0%'",
  message: 'must be at least 1',
}

const stage = z
  .object({
    name: dnsLabel.describe('Name of the stage.'),
    clusterSelector: labelSelector
      .optional()
      .describe('Clusters by label; {} selects all remaining clusters.'),
    clusters: z.array(dnsName).max(1000).optional().describe('Additional clusters by name.'),
    size: intOrPercent(
      'Number of remaining or selected clusters, chosen by hash when the rollout begins. 0 is refused.',
      AT_LEAST_ONE,
    ).optional(),
    groupBy: z
      .string()
      .min(1)
      .max(317)
      .optional()
      .describe('Label whose values each become a stage, one after the other.'),
    order: z
      .enum(['Hash', 'Name', 'Label'])
      .default('Hash')
      .describe(
        'Order of starts. `Label`: by `orderLabel`; integers by number, then text, then clusters without the label.',
      ),
    orderLabel: z.string().min(1).max(317).optional().describe('Label for order `Label`.'),
    maxConcurrency: intOrPercent(
      'Most clusters of the stage that deploy at once. Default 100%. 0 is refused.',
      AT_LEAST_ONE,
    ).optional(),
    maxUnavailable: intOrPercent(
      'Most clusters of the stage that deploy or are unhealthy at once. 0 is refused.',
      AT_LEAST_ONE,
    ).optional(),
    maxFailed: intOrPercent(
      'Most failed clusters of the stage before the rollout reacts with `onFailure`.',
    ).optional(),
    soakSeconds: seconds(0, 'Time all clusters must stay ready before the next stage.').default(0),
    approvalBefore: approvalField(
      'Approval before the stage. `Required`: the stage opens after an Approval of this revision.',
    ),
    approval: approvalField(
      'Approval after the stage. `Required`: the next stage opens after an Approval of this revision.',
    ),
    windows,
    gateExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL expression over `stage`, `units` and `module`; the next stage opens while it is true.'),
    gates: z
      .array(gate)
      .max(16)
      .optional()
      .describe('Objects in this namespace of the hub that must be healthy before the next stage opens.'),
  })
  .meta(
    rules(
      {
        rule: 'has(self.clusterSelector) || has(self.clusters) || has(self.size) || has(self.groupBy)',
        message: 'must set clusterSelector, clusters, size or groupBy',
      },
      { rule: "self.name != 'prune'", message: 'must not be prune', fieldPath: '.name' },
      {
        rule: "self.order != 'Label' || has(self.orderLabel)",
        message: 'Label requires orderLabel',
        fieldPath: '.order',
      },
    ),
  )

export const rolloutSpec = z
  .object({
    strategy: z
      .enum(['Incremental', 'Replace', 'Staged', 'External'])
      .default('Incremental')
      .describe(
        'Strategy of the rollout. `Incremental`: one cluster first, then `maxUnavailable` at once. `Replace`: all at once. `Staged`: one stage after the other. `External`: revisions are published, and Lockstep starts no cluster.',
      ),
    maxUnavailable: intOrPercent(
      'Most clusters that deploy, are unhealthy or are being removed at once. Default 1; 10% with `Staged`, 100% with `Replace`. 0 is refused.',
      AT_LEAST_ONE,
    ).optional(),
    maxFailed: intOrPercent(
      'Most failed clusters before the rollout reacts with `onFailure`. Default 0.',
    ).optional(),
    maxUnreachable: intOrPercent(
      'Most unreachable clusters; above it no cluster starts. Default 25%.',
    ).optional(),
    maxNew: intOrPercent(
      'Most first deployments at once. Default 100%. 0 is refused.',
      AT_LEAST_ONE,
    ).optional(),
    maxSurge: intOrPercent(
      'Most clusters above the number of selected ones while others are removed. Default 100%.',
    ).optional(),
    minReadySeconds: seconds(0, 'Time a cluster must stay healthy before it is done.').default(0),
    progressDeadlineSeconds: seconds(
      0,
      'Running time of a cluster and revision after which the cluster has failed; 0 disables it.',
    ).default(1800),
    removal: z
      .object({
        maxFailed: intOrPercent(
          'Most units whose removal has failed; above it no other removal starts. A percentage rounds up, to at least 1.',
        ).default('25%'),
        progressDeadlineSeconds: seconds(
          0,
          'Running time of a removal after which it has failed; 0 disables it.',
        ).default(1800),
      })
      .prefault({})
      .describe('Removals of the Module from clusters.'),
    onFailure: z
      .enum(['Halt', 'Continue', 'Rollback'])
      .default('Halt')
      .describe(
        'Reaction to more than `maxFailed` failed clusters. `Halt`: running deployments finish, no cluster starts. `Continue`: other clusters continue. `Rollback`: all clusters return to the last revision with a complete rollout.',
      ),
    joining: z
      .enum(['LastComplete', 'Target'])
      .default('LastComplete')
      .describe(
        'Revision of a cluster that is selected before its stage opens. `LastComplete`: the last revision with a complete rollout. `Target`: none until its stage opens.',
      ),
    supersede: z
      .enum(['Replace', 'Wait'])
      .default('Replace')
      .describe(
        'Handling of a newer revision during a rollout. `Replace`: it replaces the older one at once. `Wait`: it starts when the rollout has ended.',
      ),
    rollback: z
      .object({
        withDependents: z
          .boolean()
          .default(true)
          .describe(
            'Roll back dependents first. If false, the rollback waits for dependents at the same release.',
          ),
        respectWindows: z.boolean().default(false).describe('Rollbacks respect windows.'),
      })
      .optional()
      .describe('Rollback settings.'),
    undo: z
      .object({
        from: z
          .string()
          .min(10)
          .max(80)
          .describe(
            'Published revision that is rolled back. The rollback holds while this revision is published.',
          ),
        to: z
          .string()
          .min(10)
          .max(80)
          .describe('Earlier revision: in full, or at least its first ten digits.'),
        reason: z.string().max(1024).optional().describe('Reason shown to users.'),
      })
      .optional()
      .describe('Rollback to an earlier revision. It ends when another revision is published.'),
    updates: z
      .enum(['Automatic', 'Once'])
      .default('Automatic')
      .describe(
        'Updates of clusters. `Automatic`: all revisions. `Once`: a cluster gets the published revision when it is selected, and no later one.',
      ),
    windows,
    stages: z
      .array(stage)
      .min(1)
      .max(32)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe(
        'With `Staged`: stages, one after the other. A cluster is in the first stage that selects it.',
      ),
    batches: z
      .object({
        size: intOrPercent('Clusters in a batch.', {
          rule: "!(string(self) in ['0', '0%'])",
          message: 'must be at least 1',
        }).default('25%'),
        minClusters: z
          .int32()
          .min(0)
          .max(1_000_000)
          .default(200)
          .describe('Number of clusters below which all of them are one batch.'),
      })
      .optional()
      .describe('With `Staged`, instead of stages: at most 32 batches of equal size, chosen by hash.'),
  })
  .meta(
    rules(
      {
        rule: "has(self.strategy) && self.strategy == 'Staged' || !(has(self.stages) || has(self.batches))",
        message: 'must be Staged to use stages or batches',
        fieldPath: '.strategy',
      },
      {
        rule: "!has(self.strategy) || self.strategy != 'Staged' || has(self.stages) != has(self.batches)",
        message: 'Staged requires either stages or batches',
        fieldPath: '.strategy',
      },
    ),
  )
  .describe('Settings of the rollout. They are not part of the revision.')
