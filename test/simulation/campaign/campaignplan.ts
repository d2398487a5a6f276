/** A random fleet for rollouts: few objects, many rules about when they may move. */
import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import { chance } from '../scenario.ts'

export interface CampaignPlan {
  readonly clusters: readonly string[]
  readonly modules: readonly CampaignModule[]
}

export interface CampaignModule {
  readonly name: string
  readonly needs: readonly string[]
  readonly rollout: Readonly<Record<string, unknown>>
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

export function randomPlan(random: Random): CampaignPlan {
  const count = 2 + Math.floor(random.next() * 5)
  const clusters = Array.from({ length: count }, (_, i) => `c${i + 1}`)
  const modules = ['base', 'app', 'extra'].slice(0, 1 + Math.floor(random.next() * 3)).map((name, i) => ({
    name,
    needs: i > 0 && chance(random, 0.6) ? ['base'] : [],
    rollout: randomRollout(random.fork(name), clusters),
  }))
  return { clusters, modules }
}

function randomRollout(random: Random, clusters: readonly string[]): CampaignModule['rollout'] {
  const strategy = pick(random, ['Incremental', 'Incremental', 'Replace', 'Staged', 'Staged', 'Staged'])
  return {
    strategy,
    maxUnavailable: pick(random, [1, 2, '50%', '100%']),
    maxFailed: pick(random, [0, 0, 1]),
    maxUnreachable: pick(random, ['25%', '50%', '100%']),
    minReadySeconds: pick(random, [0, 0, 10]),
    progressDeadlineSeconds: 300,
    onFailure: pick(random, ['Halt', 'Continue', 'Rollback', 'Rollback']),
    supersede: pick(random, ['Replace', 'Replace', 'Wait']),
    joining: pick(random, ['LastComplete', 'Target']),
    ...(chance(random, 0.2) ? { windows: [FIRST_HALF] } : {}),
    ...(chance(random, 0.2) ? { maxNew: 1 } : {}),
    ...(chance(random, 0.2) ? { maxSurge: pick(random, [0, 1]) } : {}),
    ...(chance(random, 0.2) ? { rollback: { respectWindows: true } } : {}),
    ...(strategy === 'Staged' ? partsOf(random, clusters) : {}),
  }
}

const partsOf = (random: Random, clusters: readonly string[]): object =>
  chance(random, 0.2)
    ? { batches: { size: pick(random, [1, '34%', '100%']), minClusters: pick(random, [1, 4]) } }
    : { stages: randomStages(random, clusters) }

/** Open for five minutes, shut for five. */
const FIRST_HALF = { schedule: '*/10 * * * *', durationSeconds: 300 }

function randomStages(random: Random, clusters: readonly string[]): unknown[] {
  const members = pick(random, [{ size: 1 }, { clusters: clusters.slice(0, 1) }, { size: '34%' }])
  const canary = {
    name: 'canary',
    ...members,
    soakSeconds: pick(random, [0, 15, 40]),
    approval: pick(random, ['None', 'None', 'Required']),
    ...(chance(random, 0.3) ? { maxConcurrency: 1 } : {}),
    ...(chance(random, 0.3) ? { order: pick(random, ['Name', 'Label']), orderLabel: 'env' } : {}),
    ...(chance(random, 0.2) ? { gateExpr: 'stage.done > 0' } : {}),
  }
  const rest = {
    name: 'others',
    clusterSelector: {},
    approvalBefore: pick(random, ['None', 'None', 'Required']),
    ...(chance(random, 0.3) ? { maxUnavailable: 1 } : {}),
    ...(chance(random, 0.3) ? { maxFailed: 1 } : {}),
  }
  const second = chance(random, 0.5) ? { name: 'second', size: 1 } : { name: 'by', groupBy: 'env' }
  return [canary, ...(chance(random, 0.4) ? [second] : []), rest]
}

/** Where a release is bad: nowhere, on one cluster, on all. */
export type Bad = '' | 'all' | (string & {})

export function moduleOf(
  { name, needs, rollout }: CampaignModule,
  release: number,
  bad: Bad,
  undo?: unknown,
): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { release: `${release}`, bad, cluster: '$(CLUSTER_NAME)' },
  }
  const isBad = 'object.data.bad == "all" || object.data.bad == object.data.cluster'
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      release: `r${release}`,
      source: { inline: { objects: [object] } },
      targets: { clusterSelector: { matchLabels: { env: 'prod' } } },
      dependsOn: needs.map((to) => ({ id: to, module: { kind: 'Module', name: to } })),
      health: {
        degradedSeconds: 5,
        expressions: [{ apiVersion: 'v1', kind: 'ConfigMap', failed: isBad, current: `!(${isBad})` }],
      },
      rollout: { ...rollout, ...(undo === undefined ? {} : { undo }) },
    },
  } as unknown as KubeObject
}
