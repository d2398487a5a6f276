import { z } from 'zod'

const time = z.string().meta({ format: 'date-time' })

const ledgerEntry = z.object({
  cluster: z.string().describe('Name of the cluster.'),
  revision: z.string().describe('Revision that was started.'),
  stage: z.string().describe('Stage of the cluster.'),
  kind: z
    .enum(['Install', 'Update', 'Remove', 'PinMove', 'Rebind', 'RollBack'])
    .describe('Kind of the change.'),
  runSeconds: z.int().describe('Time the deployment ran.'),
  readySeconds: z.int().describe('Time the cluster is ready.'),
  failed: z
    .string()
    .optional()
    .describe(
      'Reason why the cluster has failed. A failed cluster does not count towards the rollout limit.',
    ),
  again: z
    .literal(true)
    .optional()
    .describe('Whether the cluster was done in this rollout and became unhealthy.'),
})

const stage = z.object({
  name: z.string().describe('Name of the stage.'),
  cut: z
    .string()
    .optional()
    .describe('Highest hash of clusters in a stage with a size, fixed when the rollout began.'),
  total: z.int().describe('Clusters in the stage.'),
  done: z.int().describe('Clusters that are done.'),
  failed: z.int().describe('Failed clusters.'),
  unreachable: z.int().describe('Unreachable clusters.'),
  pinned: z.int().describe('Pinned clusters.'),
  openedAt: time.optional().describe('Time at which the stage opened.'),
  soakSeconds: z.int().optional().describe('Time since which all clusters of the stage are done.'),
  approvedBy: z.string().optional().describe('User who approved the stage.'),
  completedAt: time.optional().describe('Time at which the stage completed.'),
})

export const rolloutStatus = z.object({
  phase: z
    .enum([
      'Idle',
      'Removing',
      'Halted',
      'Paused',
      'Waiting',
      'Progressing',
      'Complete',
      'CompletedWithFailures',
      'RollingBack',
      'RolledBack',
    ])
    .describe('Phase of the rollout.'),
  revision: z
    .string()
    .optional()
    .describe('Target revision of the fleet: the published revision, or the revision after a rollback.'),
  release: z.string().optional().describe('Release of the target revision.'),
  cause: z
    .enum(['Publish', 'Wait', 'Undo', 'Rollback', 'Dependency'])
    .optional()
    .describe(
      'Reason for the target revision. `Publish`: it is published. `Wait`: an older rollout ends first. `Undo`: spec.rollout.undo. `Rollback`: the published revision failed. `Dependency`: rolled back with a dependency.',
    ),
  from: z.string().optional().describe('Revision before the rollout.'),
  refused: z
    .string()
    .optional()
    .describe('Revision that failed and was rolled back. It starts again only after a retry.'),
  refusedFor: z.string().optional().describe('Cause of its failure.'),
  startedAt: time.optional().describe('Start of the rollout.'),
  completedAt: time.optional().describe('Time at which all stages of this revision first completed.'),
  haltedAt: z
    .string()
    .optional()
    .describe('Revision whose failures halted the rollout. A new revision or a retry ends the halt.'),
  stage: z.string().optional().describe('First stage that is not complete.'),
  stages: z
    .array(stage)
    .max(64)
    .optional()
    .meta({ listType: 'map', mapKeys: ['name'] })
    .describe('State of each stage.'),
  ledger: z
    .array(ledgerEntry)
    .max(4000)
    .optional()
    .meta({ listType: 'map', mapKeys: ['cluster'] })
    .describe(
      'Clusters that count towards the rollout limits. Changed by compare-and-swap before an assignment is written.',
    ),
  ran: z
    .array(
      z.object({
        cluster: z.string().describe('Name of the cluster.'),
        seconds: z.int().describe('Running time.'),
      }),
    )
    .max(500)
    .optional()
    .meta({ listType: 'map', mapKeys: ['cluster'] })
    .describe(
      'Running times of clusters that were done, became unhealthy and recovered. Their deadline continues from these times; the longest ones are kept.',
    ),
  removals: z
    .object({
      since: time.optional().describe('Start of the first removal.'),
      of: z.int().optional().describe('Clusters of the Module at the start of the first removal.'),
      begun: z.int().optional().describe('Removals that began since then.'),
      total: z
        .int()
        .optional()
        .describe('Units to remove, including removed ones, until the last one is removed.'),
      allowed: z.int().optional().describe('Most removals that a user allowed.'),
      allowance: z
        .string()
        .optional()
        .describe(
          'Value of annotation lockstep.dev/allow-removal that was used last. Each value is used once.',
        ),
    })
    .optional()
    .describe('Removals from clusters, counted together.'),
  budgets: z
    .record(
      z.string(),
      z.object({
        used: z.int().describe('Disrupted clusters.'),
        max: z.int().describe('Clusters that may be disrupted.'),
      }),
    )
    .optional()
    .describe('Use of each DisruptionBudget, by name.'),
  failed: z
    .array(
      z.object({
        cluster: z.string().describe('Name of the cluster.'),
        message: z.string().describe('Cause of the failure.'),
      }),
    )
    .max(10)
    .optional()
    .describe('First ten failed clusters.'),
})

export type RolloutStatus = z.infer<typeof rolloutStatus>
