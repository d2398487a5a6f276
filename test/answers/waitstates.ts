/** States in which a unit waits for a dependency, a person or an object: each row brings a fleet into it. */
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { denyDeletes } from '../fleet/deniedremoval.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { USER } from '../fleet/single.ts'
import { configManifest } from '../fleet/steps.ts'
import {
  ALL_AT_ONCE,
  type AnswerState,
  BROKEN,
  CLUSTERS,
  failedRelease,
  hold,
  published,
  put,
  ready,
  STAGES,
  secondRelease,
  workload,
} from './statesteps.ts'

export const waitStates: readonly AnswerState[] = [
  {
    name: 'a dependency is pinned at another release',
    async create(story) {
      await put(story, 'base', '1', { release: '1' })
      await put(story, 'app', '1', { release: '1', dependsOn: ['base'] })
      await ready(story, 'base', 'app')
      await hold(story, 'base', { action: 'Pin', clusters: ['c1'], revision: published(story, 'base') })
      await put(story, 'base', '2', { release: '2' })
      await put(story, 'app', '2', { release: '2', dependsOn: ['base'] })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF DependencyPinned',
    why: 1,
    wait: 4,
    roots: ['DependencyPinned'],
  },
  {
    name: 'a stage waits for an approval',
    create: (story) => secondRelease(story, { strategy: 'Staged', stages: STAGES }),
    unit: ['app', 'c2'],
    conditions: 'FTF AwaitingApproval',
    why: 1,
    wait: 4,
    roots: ['AwaitingApproval'],
  },
  {
    name: 'outside of its window',
    create: (story) =>
      secondRelease(story, {
        ...ALL_AT_ONCE,
        windows: [{ schedule: '40 * * * *', durationSeconds: 600 }],
      }),
    unit: ['app', 'c1'],
    conditions: 'FTF WindowClosed',
    why: 1,
    wait: 4,
    roots: ['WindowClosed'],
  },
  {
    name: 'a halted rollout',
    create: (story) => failedRelease(story, 'Halt'),
    unit: ['web', 'c3'],
    conditions: 'FFT Halted',
    why: 1,
    wait: 4,
    roots: ['ImagePullBackOff'],
  },
  {
    name: 'a rollout that was rolled back',
    create: (story) => failedRelease(story, 'Rollback'),
    unit: ['web', 'c3'],
    conditions: 'FFT RolledBack',
    why: 0,
    wait: 4,
    roots: [],
  },
  {
    name: 'a workload that does not start',
    async create(story) {
      for (const { world } of story.fleet.clusters.values()) world.fail(BROKEN)
      await workload(story, 'web', 'web:2', { health: { timeoutSeconds: 60 } })
      await story.pass(120)
    },
    unit: ['web', 'c1'],
    conditions: 'FFT Halted',
    why: 1,
    wait: 4,
    roots: ['ImagePullBackOff'],
  },
  {
    name: 'a dependency does not start',
    async create(story) {
      for (const { world } of story.fleet.clusters.values()) world.fail(BROKEN)
      await workload(story, 'web', 'web:2', { health: { timeoutSeconds: 3600 } })
      await put(story, 'app', '1', { dependsOn: ['web'] })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF DependencyNotReady',
    why: 1,
    wait: 4,
    roots: ['ImagePullBackOff'],
  },
  {
    name: 'a missing dependency',
    create: (story) => put(story, 'app', '1', { dependsOn: ['base'] }),
    unit: ['app', 'c1'],
    conditions: 'FTF DependencyMissing',
    why: 1,
    wait: 4,
    roots: ['DependencyMissing'],
  },
  {
    name: 'a missing object',
    async create(story) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'database' }
      await put(story, 'app', '1', { dependsOn: [{ id: 'database', object }] })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF DependencyMissing',
    why: 1,
    wait: 4,
    roots: ['DependencyMissing'],
  },
  {
    name: 'a dependency at another release',
    async create(story) {
      await put(story, 'base', '1', { release: '1' })
      await put(story, 'app', '1', { release: '2', dependsOn: ['base'] })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF ReleaseMismatch',
    why: 1,
    wait: 4,
    roots: ['ReleaseMismatch'],
  },
  {
    name: 'a dependency that does not select the cluster',
    async create(story) {
      await put(story, 'base', '1', { targets: { clusters: ['c2', 'c3'] } })
      await put(story, 'app', '1', { dependsOn: ['base'] })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF DependencyNotSelected',
    why: 1,
    wait: 4,
    roots: ['DependencyNotSelected'],
  },
  {
    name: 'a missing source',
    create: (story) => story.module('app', 'app-1', { rollout: ALL_AT_ONCE }),
    unit: ['app', 'c1'],
    conditions: 'FTF ResourceNotFound',
    why: 1,
    wait: 4,
    roots: ['ResourceNotFound'],
  },
  {
    name: 'a source that becomes unreadable',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      await story.config('app-1', 'kind: [')
    },
    unit: ['app', 'c1'],
    conditions: 'FFT RenderFailed',
    why: 0,
    wait: 4,
    roots: [],
  },
  {
    name: 'a used up DisruptionBudget',
    async create(story) {
      for (const { world } of story.fleet.clusters.values()) world.fail(BROKEN)
      const budget = {
        apiVersion: 'lockstep.dev/v1alpha1',
        kind: 'DisruptionBudget',
        metadata: { name: 'eu', namespace: NAMESPACE },
        spec: { clusterSelector: {}, maxUnavailable: 1 },
      }
      const write = { ...USER, force: true }
      must(await story.during(story.fleet.hub.apply(disruptionBudgetKind, budget as never, write)))
      await put(story, 'app', '1')
      await ready(story, 'app')
      await workload(story, 'web', 'web:2', {
        health: { timeoutSeconds: 3600 },
        targets: { clusters: ['c1'] },
      })
      await story.pass(60)
      await put(story, 'app', '2')
    },
    unit: ['app', 'c2'],
    conditions: 'FTF DisruptionBudget',
    why: 1,
    wait: 4,
    roots: ['DisruptionBudget'],
  },
  {
    name: 'an object of another Module',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      await story.module('copy', 'app-1', { rollout: ALL_AT_ONCE })
    },
    unit: ['copy', 'c1'],
    conditions: 'FTF OwnedByAnother',
    why: 1,
    wait: 4,
    roots: ['OwnedByAnother'],
  },
  {
    name: 'an object in a missing Namespace',
    async create(story) {
      await story.config('app-1', configManifest('app', '1').replace('namespace: default', 'namespace: shop'))
      await story.module('app', 'app-1', { rollout: ALL_AT_ONCE })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF ApplyFailed',
    why: 1,
    wait: 4,
    roots: ['ApplyFailed'],
  },
  {
    name: 'a deleted Module with a dependent',
    async create(story) {
      await put(story, 'base', '1')
      await put(story, 'app', '1', { dependsOn: ['base'] })
      await ready(story, 'base', 'app')
      await story.deleteModule('base')
    },
    unit: ['base', 'c1'],
    conditions: 'FTF Deleting',
    why: 1,
    wait: 4,
    roots: ['DependentsRemain'],
  },
  {
    name: 'a removal that a cluster denies',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      for (const c of CLUSTERS) denyDeletes(story, c)
      await story.deleteModule('app')
      await story.pass(120)
    },
    unit: ['app', 'c1'],
    conditions: 'FFT Deleting',
    why: 1,
    wait: 4,
    roots: ['PruneBlocked'],
  },
  {
    name: 'a Namespace that existed before its removal',
    async create(story) {
      const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
      for (const { client } of story.fleet.clusters.values())
        must(await story.during(client.create(namespaceKind, shop, { purpose: 'user', manager: 'user' })))
      await story.config('app-1', JSON.stringify(shop))
      await story.module('app', 'app-1', { rollout: ALL_AT_ONCE, apply: { adopt: 'Unowned' } })
      await ready(story, 'app')
      await story.deleteModule('app')
    },
    unit: ['app', 'c1'],
    conditions: 'FTF Deleting',
    why: 1,
    wait: 4,
    roots: ['PruneConfirmation'],
  },
]
