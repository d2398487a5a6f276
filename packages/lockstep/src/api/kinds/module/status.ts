import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'
import { rolloutStatus } from './rolloutstatus.ts'

export const clusterCounts = z.object({
  total: z.int().describe('Clusters of the Module.'),
  updated: z.int().describe('Clusters with the target revision.'),
  ready: z.int().describe('Ready clusters.'),
  updating: z.int().describe('Clusters that deploy.'),
  blocked: z.int().describe('Blocked clusters.'),
  waiting: z.int().describe('Waiting clusters.'),
  failed: z.int().describe('Failed clusters.'),
  unreachable: z.int().describe('Unreachable clusters.'),
  paused: z.int().default(0).describe('Paused clusters.'),
  pinned: z.int().default(0).describe('Pinned clusters.'),
  provisioning: z.int().describe('Clusters that are being provisioned.'),
})

export const moduleStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  lastHandledReconcileAt: z
    .string()
    .optional()
    .describe('Value of annotation lockstep.dev/reconcile for which the source was last read.'),
  lastHandledRehashAt: z
    .string()
    .optional()
    .describe('Value of annotation lockstep.dev/rehash after which no digest depends on a lost key.'),
  lastHandledRetryAt: z
    .string()
    .optional()
    .describe('Value of annotation lockstep.dev/retry for which failed clusters deploy again.'),
  conditions: conditions.optional(),
  release: z.string().optional().describe('Release of the published revision.'),
  currentRevision: z.string().optional().describe('Published revision.'),
  bundle: z.string().optional().describe('Digest of its bundle.'),
  sourceRevision: z.string().optional().describe('Name of the source revision, such as a branch and commit.'),
  inputs: z
    .string()
    .optional()
    .describe('Digest of the resolved inputs, and the release for which they are frozen.'),
  clusters: clusterCounts.optional().describe('Numbers of clusters by state.'),
  ready: z.string().optional().describe('Ready clusters of all, as ready/total.'),
  updated: z.string().optional().describe('Updated clusters of all, as updated/total.'),
  blockers: z.array(blocker).max(10).optional().describe('Reasons why the Module waits.'),
  rollout: rolloutStatus.optional().describe('State of the rollout.'),
})

export type ModuleStatus = z.output<typeof moduleStatus>
