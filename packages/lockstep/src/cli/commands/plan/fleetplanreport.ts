/** What a fleet would do, as a report. */
import { z } from 'zod'
import { revisionChange } from '../../kit/diff/index.ts'
import { defineReport } from '../../kit/output/index.ts'

const need = z.strictObject({
  id: z.string(),
  on: z.string().describe('`Module/cert-manager`, or an object: `Deployment apps/web`.'),
  cluster: z.string().optional().describe('The cluster whose unit is meant, where it is said.'),
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
    .describe('In local time. Absent: it is open, or does not open within 366 days.'),
})

const stage = z.strictObject({
  name: z.string(),
  clusters: z.int(),
  starts: z.int().describe('Of these, so many start in it.'),
  first: z.array(z.string()).describe('Of those that start in it, the first ten.'),
  maxUnavailable: z.string().optional(),
  maxConcurrency: z.string().optional(),
  approvalBefore: z.boolean(),
  approval: z.boolean(),
  soakSeconds: z.int(),
  gateExpr: z.string().optional(),
  gates: z.array(z.string()).describe('Objects at the hub; taken as ready.'),
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
    .describe('Of what is published; `deleted`: the module goes.'),
  isGuess: z
    .boolean()
    .describe('True: it depends on Secrets whose digests only the controller can make; it may be unchanged.'),
  from: revision.optional(),
  to: revision.optional(),
  wave: z
    .int()
    .describe('1: it needs no other module; else one more than the greatest of those that it needs.'),
  clusters: z.int(),
  selected: z.array(z.string()).describe('Clusters that its targets select.'),
  moves: z.int().describe('Units that start.'),
  objects: z.array(revisionChange).optional().describe('Absent: the published bundle cannot be read.'),
  total: z.int().optional().describe('Objects of what would be published.'),
  needs: z.array(need),
  strategy: z.string(),
  maxUnavailable: z.int(),
  stages: z.array(stage),
  windows: windows.optional(),
  selectedTwice: z.array(z.strictObject({ cluster: z.string(), in: z.string(), also: z.string() })),
  pinned: z.array(z.strictObject({ cluster: z.string(), by: z.string() })),
  joins: z.array(z.string()),
  leaves: z.array(z.string()),
  widest: z.int().describe('Most units in flight at once.'),
  phase: z.string().describe('Where its rollout ends.'),
  completes: z.boolean(),
  waits: z.array(wait).describe('What is left to wait for in the end.'),
})

const start = z.strictObject({
  step: z.int(),
  afterSeconds: z.int().describe('From now. Deliveries take no time here; soaks and windows do.'),
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
  completes: z.boolean().describe('False: something never starts.'),
  modules: z.array(moduleShape),
  starts: z.array(start).describe('In order; of one step all at once.'),
  approvals: z.array(approval).describe('Consents of people; taken as given.'),
  disruptionBudgets: z
    .array(z.strictObject({ name: z.string(), max: z.int(), clusters: z.int(), widest: z.int() }))
    .describe('`widest`: most of its clusters that are disrupted at once.'),
  widest: z.strictObject({ units: z.int(), clusters: z.int(), step: z.int() }),
  waves: z.int(),
  seconds: z.int().describe('From now to the last start.'),
})

export type FleetPlanFacts = Parameters<typeof fleetPlanReport.fill>[0]
export type ModulePlanFacts = z.infer<typeof moduleShape>
