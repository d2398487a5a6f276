/** Reasons of targets, rollouts and their approvals end when a user has removed their cause. */
import { configMapKind, crdKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { type ReasonCase, reasonCases } from './reasoncase.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, deploymentManifest, type ModuleOptions, Story } from './steps.ts'

const FORCE = { ...USER, force: true } as const

const ofModule = (story: Story): string[] => story.blockers('m')

const written = async (story: Story, options: ModuleOptions): Promise<void> => {
  await story.config('v1', configManifest('a', '1'))
  await story.module('m', 'v1', options)
}

const createSecret = async (story: Story, cluster: string): Promise<void> => {
  const secret = clusterSecret(cluster, { env: 'prod' })
  must(await story.during(story.fleet.hub.apply(secretKind, secret, FORCE)))
}

const targetsMissing: Omit<ReasonCase, 'mend'> = {
  others: ['late'],
  cause: async (story) => {
    must(await story.during(story.fleet.hub.delete(secretKind, { namespace: NAMESPACE, name: 'late' }, USER)))
    await story.pass(5)
    await written(story, { targets: { clusters: ['edge', 'late'] } })
  },
  stored: ofModule,
  says: /^ClusterMissing: cluster late of spec\.targets\.clusters does not exist in namespace platform$/,
}

const staged = (stage: object): ModuleOptions => ({
  rollout: {
    strategy: 'Staged',
    stages: [
      { name: 'canary', clusters: ['edge'], ...stage },
      { name: 'rest', clusterSelector: {} },
    ],
  },
})

const gate = (stage: object, says: RegExp, mend: ReasonCase['mend']): ReasonCase => ({
  others: ['c1'],
  cause: (story) => written(story, staged(stage)),
  stored: ofModule,
  says,
  mend,
})

const approve = async (story: Story, stage: string): Promise<void> => {
  const approval = {
    apiVersion: API_VERSION,
    kind: 'Approval',
    metadata: { name: 'yes', namespace: NAMESPACE },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'm' },
      stage,
      point: 'After' as const,
      revisionHash: story.see('m').status!.currentRevision!,
      approvedBy: 'ann',
    },
  }
  must(await story.during(story.fleet.hub.apply(approvalKind, approval, FORCE)))
}

const ofApproval = (story: Story): string[] =>
  [...story.manager.hub.approvals.store.all()].flatMap((a) =>
    (a.status?.conditions ?? []).map((c) => `${c.reason}: ${c.message}`),
  )

const approved: Omit<ReasonCase, 'mend'> = {
  others: ['c1'],
  cause: async (story) => {
    await written(story, staged({ approval: 'Required' }))
    await story.until(() => story.live('edge', 'configmaps', 'a') !== undefined)
    await approve(story, 'canry')
  },
  stored: ofApproval,
  says: /^StageUnknown: Module m has no stage canry: its stages are canary and rest$/,
}

const widgetKind = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

const PULL = { image: 'a:1', outcome: 'ImagePull' } as const

const late: Omit<ReasonCase, 'mend'> = {
  cause: async (story) => {
    story.fleet.clusters.get('edge')!.world.fail(PULL)
    await story.config('v1', deploymentManifest('a', 'a:1'))
    await story.module('m', 'v1', { rollout: { progressDeadlineSeconds: 60 } })
  },
  within: 120,
  stored: (story) => (story.see('m').status?.rollout?.failed ?? []).map((f) => f.message ?? ''),
  says: /^ProgressDeadlineExceeded: deploying for 6\ds, progressDeadlineSeconds 60: Deployment default\/a: /,
}

const undone: Omit<ReasonCase, 'mend'> = {
  cause: async (story) => {
    await written(story, {})
    await story.until(() => story.isReady('m'))
    const from = story.see('m').status!.currentRevision!
    await written(story, { rollout: { undo: { from, to: '0123456789' } } })
  },
  stored: ofModule,
  says: /^RollbackTargetUnknown: spec\.rollout\.undo\.to: revision 0123456789 is not in the history; it has only the published revision$/,
}

reasonCases(
  {
    'ClusterMissing, the cluster is added': {
      ...targetsMissing,
      mend: (story) => createSecret(story, 'late'),
      isOver: (story) => story.isReady('m') && story.live('late', 'configmaps', 'a') !== undefined,
    },
    'ClusterMissing, its name is removed': {
      ...targetsMissing,
      mend: (story) => written(story, { targets: { clusters: ['edge'] } }),
    },
    'RollbackTargetUnknown, the rollback is withdrawn': {
      ...undone,
      mend: (story) => written(story, {}),
    },
    'RollbackTargetUnknown, another revision is published': {
      ...undone,
      mend: (story) => story.config('v1', configManifest('a', '9')),
    },
    'StageGate, an object that is missing': gate(
      { gates: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'go' }] },
      /^StageGate: stage canary: waiting for ConfigMap platform\/go on hub: not found$/,
      (story) => story.config('go', ''),
    ),
    'StageGate, an object that is not ready': gate(
      {
        gates: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'v1', readyExpr: "object.data.open == 'yes'" }],
      },
      /^StageGate: stage canary: waiting for ConfigMap platform\/v1 on hub: /,
      async (story) => {
        const patch = { data: { open: 'yes' } }
        const key = { namespace: NAMESPACE, name: 'v1' }
        must(await story.during(story.fleet.hub.patch(configMapKind, key, patch, USER)))
      },
    ),
    'StageGate, a kind that the hub does not serve': gate(
      { gates: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'go' }] },
      /^StageGate: stage canary: waiting for Widget platform\/go on hub: not found: no API serves example.com\/v1 Widget$/,
      async (story) => {
        must(await story.during(story.fleet.hub.create(crdKind, WIDGETS as never, USER)))
        await story.pass(5)
        const widget = {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'go', namespace: NAMESPACE },
        }
        must(await story.during(story.fleet.hub.create(widgetKind, widget, USER)))
      },
    ),
    'StageGate, an expression of labels': gate(
      { gateExpr: "units.all(u, u.labels.env == 'open')" },
      /^StageGate: stage canary: gateExpr is false: /,
      async (story) => {
        const secret = clusterSecret('edge', { env: 'open' })
        must(await story.during(story.fleet.hub.apply(secretKind, secret, FORCE)))
      },
    ),
    'StageGate, an expression without a value': gate(
      { gateExpr: 'stage.done / 0 == 1' },
      /^StageGate: stage canary: /,
      (story) => written(story, staged({})),
    ),
    'StageUnknown, the Approval names a stage': {
      ...approved,
      mend: async (story) => {
        const key = { namespace: NAMESPACE, name: 'yes' }
        must(await story.during(story.fleet.hub.delete(approvalKind, key, USER)))
        await approve(story, 'canary')
      },
    },
    'StageUnknown, the Module gets the stage': {
      ...approved,
      mend: (story) => {
        const stages = [
          { name: 'canry', clusters: ['edge'], approval: 'Required' },
          { name: 'rest', clusterSelector: {} },
        ]
        return written(story, { rollout: { strategy: 'Staged', stages } })
      },
    },
    'ProgressDeadlineExceeded, the unit becomes ready': {
      ...late,
      mend: async (story) => story.fleet.clusters.get('edge')!.world.heal(PULL),
      // The rollout stays halted: its approver retries it.
      isOver: (story) => story.inventory('m', 'edge')?.status?.state === 'Ready',
    },
    'ProgressDeadlineExceeded, another revision is published': {
      ...late,
      mend: (story) => story.config('v1', deploymentManifest('a', 'a:2')),
    },
  },
  Story.begin,
)
