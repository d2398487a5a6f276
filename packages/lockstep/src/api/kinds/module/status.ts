import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'
import { rolloutStatus } from './rolloutstatus.ts'

export const clusterCounts = z.object({
  total: z.int(),
  updated: z.int(),
  ready: z.int(),
  updating: z.int(),
  blocked: z.int(),
  waiting: z.int(),
  failed: z.int(),
  unreachable: z.int(),
  paused: z.int().default(0),
  pinned: z.int().default(0),
  provisioning: z.int(),
})

export const moduleStatus = z.object({
  observedGeneration: z.int().optional(),
  lastHandledReconcileAt: z
    .string()
    .optional()
    .describe('The value of annotation lockstep.dev/reconcile that the source was last asked for.'),
  lastHandledRehashAt: z
    .string()
    .optional()
    .describe(
      'The value of annotation lockstep.dev/rehash since which no digest that counts names a lost key.',
    ),
  lastHandledRetryAt: z
    .string()
    .optional()
    .describe('The value of annotation lockstep.dev/retry for which what had failed is under way again.'),
  conditions: conditions.optional(),
  release: z.string().optional().describe('Release of the published revision.'),
  currentRevision: z.string().optional().describe('The published revision.'),
  bundle: z.string().optional().describe('Digest of its bundle.'),
  sourceRevision: z.string().optional().describe('What people call it.'),
  inputs: z
    .string()
    .optional()
    .describe('Digest of the resolved inputs, and the release for which they are frozen.'),
  clusters: clusterCounts.optional(),
  ready: z.string().optional().describe('ready/total, for people.'),
  updated: z.string().optional().describe('updated/total, for people.'),
  blockers: z.array(blocker).max(10).optional(),
  rollout: rolloutStatus.optional(),
})

export type ModuleStatus = z.output<typeof moduleStatus>
