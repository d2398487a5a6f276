import { z } from 'zod'

const time = z.string().meta({ format: 'date-time' })

const ledgerEntry = z.object({
  cluster: z.string(),
  revision: z.string(),
  stage: z.string(),
  kind: z.enum(['Install', 'Update', 'Remove', 'PinMove', 'Rebind', 'RollBack']),
  runSeconds: z.int(),
  readySeconds: z.int(),
  failed: z.string().optional().describe('Why it counts as failed; it then holds no slot.'),
  again: z
    .literal(true)
    .optional()
    .describe('It was done before in this rollout, and was not well any more.'),
})

const stage = z.object({
  name: z.string(),
  cut: z
    .string()
    .optional()
    .describe(
      'Of a stage with a size: its members have a hash of at most this. Frozen when the rollout began.',
    ),
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  unreachable: z.int(),
  pinned: z.int(),
  openedAt: time.optional(),
  soakSeconds: z.int().optional().describe('For how long all of its clusters have been done.'),
  approvedBy: z.string().optional(),
  completedAt: time.optional(),
})

export const rolloutStatus = z.object({
  phase: z.enum([
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
  ]),
  revision: z
    .string()
    .optional()
    .describe('Where the fleet is to be: what is published, or what it is led back to.'),
  release: z.string().optional().describe('Of that revision.'),
  cause: z
    .enum(['Publish', 'Wait', 'Undo', 'Rollback', 'Dependency'])
    .optional()
    .describe(
      'Publish: it is what is published. Wait: an older rollout ends first. Undo: spec.rollout.undo. Rollback: what is published has failed. Dependency: with something that it depends on.',
    ),
  from: z.string().optional(),
  refused: z
    .string()
    .optional()
    .describe(
      'The revision that has failed and was left: not started again until another is published, or a retry.',
    ),
  refusedFor: z.string().optional().describe('What was wrong with it.'),
  startedAt: time.optional(),
  completedAt: time.optional().describe('When all stages of this revision were complete for the first time.'),
  haltedAt: z
    .string()
    .optional()
    .describe('The revision whose failures halted the rollout; a new revision, or a retry, ends it.'),
  stage: z.string().optional().describe('The first stage that is not complete.'),
  stages: z
    .array(stage)
    .max(64)
    .optional()
    .meta({ listType: 'map', mapKeys: ['name'] }),
  ledger: z
    .array(ledgerEntry)
    .max(4000)
    .optional()
    .meta({ listType: 'map', mapKeys: ['cluster'] })
    .describe('Slots in use. Changed by compare-and-swap before a record is written.'),
  ran: z
    .array(z.object({ cluster: z.string(), seconds: z.int() }))
    .max(500)
    .optional()
    .meta({ listType: 'map', mapKeys: ['cluster'] })
    .describe(
      'Clusters that were done, not well again, and well once more: their deadline goes on from here. Those that ran longest.',
    ),
  removals: z
    .object({
      since: time.optional(),
      of: z
        .int()
        .optional()
        .describe('Clusters that the module was on when the first of them began to leave.'),
      begun: z.int().optional().describe('Clusters that have begun to leave since.'),
      allowed: z.int().optional().describe('So many may leave, all together, as somebody has allowed.'),
      allowance: z
        .string()
        .optional()
        .describe('The value of lockstep.dev/allow-removal that was used last: it is good for once.'),
    })
    .optional()
    .describe('Clusters that leave one after the other count together.'),
  budgets: z.record(z.string(), z.object({ used: z.int(), max: z.int() })).optional(),
  failed: z
    .array(z.object({ cluster: z.string(), message: z.string() }))
    .max(10)
    .optional(),
})

export type RolloutStatus = z.infer<typeof rolloutStatus>
