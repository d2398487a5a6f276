import { records } from '../../api/records.ts'

/** Kind of weaveworks' pipeline-controller. */
export const weavePipelineKind = records.weavePipeline

/** Lease that the running controller holds (`main.go`: `LeaderElectionID`). */
export const WEAVE_LEASE = 'pipeline-controller-leader-election'
