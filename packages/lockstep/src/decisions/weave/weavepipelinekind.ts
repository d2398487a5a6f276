import { defineKind, type KubeObject } from '@lockstep/kube/object'

/** Of weaveworks' pipeline-controller. */
export const weavePipelineKind = defineKind<KubeObject>({
  group: 'pipelines.weave.works',
  version: 'v1alpha1',
  kind: 'Pipeline',
  plural: 'pipelines',
  namespaced: true,
})

/** What it holds while it is at work (`main.go`: `LeaderElectionID`). */
export const WEAVE_LEASE = 'pipeline-controller-leader-election'
