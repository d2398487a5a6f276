import { defineKind, type KubeObject } from '@lockstep/kube/object'

/** Kind of weaveworks' pipeline-controller. */
export const weavePipelineKind = defineKind<KubeObject>({
  group: 'pipelines.weave.works',
  version: 'v1alpha1',
  kind: 'Pipeline',
  plural: 'pipelines',
  namespaced: true,
})

/** Lease that the running controller holds (`main.go`: `LeaderElectionID`). */
export const WEAVE_LEASE = 'pipeline-controller-leader-election'
