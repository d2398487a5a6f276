/** What a fleet would do, as a report. */
import { z } from 'zod'
import { revisionChange } from '../../kit/diff/index.ts'
import { handoverShape } from '../../kit/fleetplan/index.ts'
import { defineReport } from '../../kit/output/index.ts'

const need = z.strictObject({
  id: z.string(),
  on: z.string().describe('Kind and name of a Module, or of an object such as `Deployment apps/web`.'),
  cluster: z.string().optional().describe('Cluster of the unit, if given.'),
  release: z.enum(['Same', 'Any']).optional(),
  optional: z.boolean(),
})

const window = z.strictObject({
  action: z.string(),
  schedule: z.string(),
  durationSeconds: z.int(),
  timeZone: z.string(),
})

const windows = z.strictObject({
  all: z.array(window),
  isOpen: z.boolean(),
  nextOpens: z
    .string()
    .optional()
    .describe('Local time of the opening. Omitted if open, or if it does not open within 366 days.'),
})

const stage = z.strictObject({
  name: z.string(),
  clusters: z.int(),
  starts: z.int().describe('Number of its clusters that start in the stage.'),
  first: z.array(z.string()).describe('First ten clusters that start in the stage.'),
  maxUnavailable: z.string().optional(),
  maxConcurrency: z.string().optional(),
  approvalBefore: z.boolean(),
  approval: z.boolean(),
  soakSeconds: z.int(),
  gateExpr: z.string().optional(),
  gates: z.array(z.string()).describe('Objects on the hub, assumed ready.'),
  windows: windows.optional(),
})

const wait = z.strictObject({
  reason: z.string(),
  subject: z.string(),
  message: z.string(),
  count: z.int().optional(),
})

const revision = z.strictObject({ revision: z.string(), release: z.string().optional() })

const moduleShape = z.strictObject({
  kind: z.string(),
  module: z.string(),
  namespace: z.string(),
  change: z
    .enum(['new', 'changed', 'unchanged', 'deleted'])
    .describe('Change of the published Module; `deleted` if the Module is deleted.'),
  isGuess: z
    .boolean()
    .describe(
      'Whether the Module depends on Secrets whose digests only the controller can compute, so that it may be unchanged.',
    ),
  from: revision.optional(),
  to: revision.optional(),
  layer: z
    .int()
    .describe('Layer: 1 without dependencies, else one more than the highest layer of its dependencies.'),
  clusters: z.int(),
  selected: z.array(z.string()).describe('Clusters that the Module targets.'),
  moves: z.int().describe('Units that start.'),
  objects: z.array(revisionChange).optional().describe('Omitted if the published bundle cannot be read.'),
  total: z.int().optional().describe('Objects of the new revision.'),
  needs: z.array(need),
  strategy: z.string(),
  maxUnavailable: z.int(),
  stages: z.array(stage),
  windows: windows.optional(),
  selectedTwice: z.array(z.strictObject({ cluster: z.string(), in: z.string(), also: z.string() })),
  pinned: z.array(z.strictObject({ cluster: z.string(), by: z.string() })),
  joins: z.array(z.string()),
  leaves: z.array(z.string()),
  widest: z.int().describe('Most units that deploy at once.'),
  phase: z.string().describe('End state of the rollout.'),
  completes: z.boolean(),
  waits: z.array(wait).describe('Reasons for which the rollout still waits at the end.'),
})

const start = z.strictObject({
  step: z.int(),
  afterSeconds: z.int().describe('Time from now. Deployments take no time here; soaks and windows do.'),
  module: z.string(),
  action: z.string(),
  stage: z.string(),
  clusters: z.array(z.string()),
})

const approval = z.strictObject({
  module: z.string(),
  stage: z.string(),
  point: z.enum(['Before', 'After']),
  afterStep: z.int(),
  command: z.string(),
})

export const fleetPlanReport = defineReport('FleetPlan', {
  namespace: z.string(),
  clusters: z.int(),
  moves: z.int(),
  completes: z.boolean().describe('Whether all Modules can start.'),
  modules: z.array(moduleShape),
  starts: z.array(start).describe('Steps in order; the units of a step start together.'),
  approvals: z.array(approval).describe('Required approvals, assumed given.'),
  handovers: z.array(handoverShape).describe('Objects that change owner, and conflicts.'),
  disruptionBudgets: z
    .array(z.strictObject({ name: z.string(), max: z.int(), clusters: z.int(), widest: z.int() }))
    .describe('`widest`: most clusters of the budget that are disrupted at once.'),
  widest: z.strictObject({ units: z.int(), clusters: z.int(), step: z.int() }),
  layers: z.int(),
  seconds: z.int().describe('Time from now to the last start.'),
})

export type FleetPlanFacts = Parameters<typeof fleetPlanReport.fill>[0]
export type ModulePlanFacts = z.infer<typeof moduleShape>
