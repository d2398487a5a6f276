import { z } from 'zod'
import { dnsLabel, dnsName, intOrPercent, labelSelector, rules, seconds } from '../schemarules.ts'

/** Fields of a cron schedule: what they are, and one value of each. */
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
    .describe('Allow: only then. Deny: not then, whatever is allowed.'),
  schedule: z
    .string()
    .min(9)
    .max(128)
    .regex(/^([^ ]+ ){4}[^ ]+$/)
    .meta(rules(...cronRules))
    .describe('When it opens: minute, hour, day of month, month, day of week, such as 0 22 * * 1-5.'),
  durationSeconds: seconds(60, 'For how long it is open.'),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .describe('IANA name, such as Europe/Berlin, whose local time the schedule means.'),
})

export const windows = z
  .array(window)
  .max(16)
  .optional()
  .describe('When something may start. Without any Allow: always, but for what is denied.')

const consent = (text: string) => z.enum(['None', 'Required']).default('None').describe(text)

const gate = z.object({
  apiVersion: z.string().min(1).max(317),
  kind: z.string().min(1).max(63),
  name: z.string().min(1).max(253),
  readyExpr: z
    .string()
    .min(1)
    .max(16_384)
    .optional()
    .describe('CEL over object, instead of the health of its kind.'),
})

const NEVER = {
  rule: "self != 0 && self != '0' && self != '0%'",
  message: '0 would never start anything; give at least 1',
}

/** Of a stage: nobody would be in it, and its soak and consent would be asked for all the same. */
const NOBODY = {
  rule: "self != 0 && self != '0' && self != '0%'",
  message: 'a stage has at least one cluster; give at least 1',
}

const stage = z
  .object({
    name: dnsLabel,
    clusterSelector: labelSelector.optional().describe('Clusters by label; {}: all that are left.'),
    clusters: z.array(dnsName).max(1000).optional().describe('Clusters by name, in addition.'),
    size: intOrPercent(
      'So many of those left, or selected, by a hash; frozen when the rollout begins. 0 is refused.',
      NOBODY,
    ).optional(),
    groupBy: z
      .string()
      .min(1)
      .max(317)
      .optional()
      .describe('One stage after the other for each value of this label.'),
    order: z
      .enum(['Hash', 'Name', 'Label'])
      .default('Hash')
      .describe('Who starts first. Label: by orderLabel, integers by number, then text, then without.'),
    orderLabel: z.string().min(1).max(317).optional(),
    maxConcurrency: intOrPercent(
      'Clusters of the stage in flight at once. Default 100%. 0 is refused.',
      NEVER,
    ).optional(),
    maxUnavailable: intOrPercent(
      'Clusters of the stage in flight or unhealthy at once. 0 is refused.',
      NEVER,
    ).optional(),
    maxFailed: intOrPercent('Failed clusters of the stage that are tolerated.').optional(),
    soakSeconds: seconds(0, 'After all are done, for so long nothing else may happen to them.').default(0),
    approvalBefore: consent('Required: it opens with an Approval of this revision.'),
    approval: consent('Required: the next one opens with an Approval of this revision.'),
    windows,
    gateExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL over stage, units and module: the next stage opens while it is true.'),
    gates: z
      .array(gate)
      .max(16)
      .optional()
      .describe('Objects of this namespace at the hub that have to be healthy before the next stage opens.'),
  })
  .meta(
    rules(
      {
        rule: 'has(self.clusterSelector) || has(self.clusters) || has(self.size) || has(self.groupBy)',
        message: 'says of no cluster that it belongs to it: give clusterSelector, clusters, size or groupBy',
      },
      { rule: "self.name != 'prune'", message: 'prune is not a name for a stage', fieldPath: '.name' },
      {
        rule: "self.order != 'Label' || has(self.orderLabel)",
        message: 'needs orderLabel',
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
        'Incremental: one cluster alone first, then maxUnavailable at once. Replace: all at once. Staged: one stage after the other. External: revisions are published, and nothing starts.',
      ),
    maxUnavailable: intOrPercent(
      'Clusters in flight, unhealthy or leaving at once. Default 1; with Staged 10%, with Replace 100%. 0 is refused.',
      NEVER,
    ).optional(),
    maxFailed: intOrPercent('Failed clusters that are tolerated. Default 0.').optional(),
    maxUnreachable: intOrPercent(
      'Unreachable clusters beyond which nothing new starts. Default 25%.',
    ).optional(),
    maxNew: intOrPercent('First deliveries in flight at once. Default 100%. 0 is refused.', NEVER).optional(),
    maxSurge: intOrPercent(
      'While clusters leave: those with content beyond the number selected. Default 100%.',
    ).optional(),
    minReadySeconds: seconds(0, 'A cluster is done after being healthy for so long without a break.').default(
      0,
    ),
    progressDeadlineSeconds: seconds(
      0,
      'Running time per cluster and revision before it counts as failed; 0: none.',
    ).default(1800),
    onFailure: z
      .enum(['Halt', 'Continue', 'Rollback'])
      .default('Halt')
      .describe(
        'Beyond maxFailed. Halt: what is in flight finishes, nothing new starts. Continue: failed clusters hold up nobody. Rollback: all go back to the last revision whose rollout was complete.',
      ),
    joining: z
      .enum(['LastComplete', 'Target'])
      .default('LastComplete')
      .describe(
        'A cluster that joins before its stage opens. LastComplete: gets what was complete last. Target: waits for its stage.',
      ),
    supersede: z
      .enum(['Replace', 'Wait'])
      .default('Replace')
      .describe(
        'Replace: the newest revision takes over at once. Wait: once the rollout under way has ended.',
      ),
    rollback: z
      .object({
        withDependents: z
          .boolean()
          .default(true)
          .describe(
            'Whether dependents at the same release roll back first; if false, the rollback waits for them.',
          ),
        respectWindows: z.boolean().default(false).describe('The way back keeps to windows, too.'),
      })
      .optional()
      .describe('How the way back is taken: of onFailure Rollback, and of an undo.'),
    undo: z
      .object({
        from: z.string().min(10).max(80).describe('It holds while this is the published revision.'),
        to: z.string().min(10).max(80).describe('In full, or its first ten digits.'),
        reason: z.string().max(1024).optional(),
      })
      .optional()
      .describe(
        'Back to an earlier revision, whatever is published; the next one that is published ends it.',
      ),
    updates: z
      .enum(['Automatic', 'Once'])
      .default('Automatic')
      .describe('Once: clusters get what is published when they come, and nothing later.'),
    windows,
    stages: z
      .array(stage)
      .min(1)
      .max(32)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe('With Staged, one after the other; a cluster is in the first that takes it.'),
    batches: z
      .object({
        size: intOrPercent('Clusters of a batch.', {
          rule: "!(string(self) in ['0', '0%'])",
          message: 'a batch has at least one cluster',
        }).default('25%'),
        minClusters: z.int32().min(0).max(1_000_000).default(200).describe('Fewer are one stage.'),
      })
      .optional()
      .describe('With Staged, instead of stages: equal parts by a hash, at most 32.'),
  })
  .meta(
    rules(
      {
        rule: "has(self.strategy) && self.strategy == 'Staged' || !(has(self.stages) || has(self.batches))",
        message: 'stages and batches are for strategy Staged',
        fieldPath: '.strategy',
      },
      {
        rule: "!has(self.strategy) || self.strategy != 'Staged' || has(self.stages) != has(self.batches)",
        message: 'Staged needs stages, or batches',
        fieldPath: '.strategy',
      },
    ),
  )
  .describe('How a revision moves over the clusters. Not part of the revision.')
