/** Steps of the states in which people ask why. */
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { USER } from '../fleet/single.ts'
import { configManifest, deploymentManifest, type ModuleOptions, type Story } from '../fleet/steps.ts'

export interface AnswerState {
  readonly name: string
  /** The state lasts for less than a minute. */
  readonly isBrief?: true
  /** Brings the fleet into the state. */
  create(story: Story): Promise<void>
  readonly unit: readonly [module: string, cluster: string]
  /** `T`, `F` of Ready, Reconciling, Stalled, and the reason of Ready, of the Module. */
  readonly conditions: string
  /** Exit codes of `why UNIT`, and of `wait module/MODULE --timeout=0s`. */
  readonly why: 0 | 1
  readonly wait: 0 | 1 | 4
  /** Reasons of the root causes of the unit. */
  readonly roots: readonly string[]
}

export const CLUSTERS = ['c1', 'c2', 'c3']
export const ALL_AT_ONCE = { strategy: 'Replace' }
export const BROKEN = { image: 'web:2', outcome: 'ImagePull' } as const

export async function put(story: Story, name: string, value: string, o: ModuleOptions = {}): Promise<void> {
  await story.config(`${name}-${value}`, configManifest(name, value))
  await story.module(name, `${name}-${value}`, { rollout: ALL_AT_ONCE, ...o })
}

export async function workload(
  story: Story,
  name: string,
  image: string,
  o: ModuleOptions = {},
): Promise<void> {
  await story.config(`${name}-workload`, deploymentManifest(name, image))
  await story.module(name, `${name}-workload`, { rollout: ALL_AT_ONCE, ...o })
}

export const ready = async (story: Story, ...names: readonly string[]): Promise<void> => {
  if (!(await story.until(() => names.every((n) => story.isReady(n)), 300)))
    throw new Error(`not ready: ${names.map((n) => story.blockers(n))}`)
}

export async function hold(story: Story, module: string, spec: object): Promise<void> {
  const body = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Hold',
    metadata: { name: 'audit', namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module', name: module }, reason: 'audit', ...spec },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, body as never, { ...USER, force: true })))
}

/** Changes the Secret of the cluster c1. */
export async function secretPatch(story: Story, change: object): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'c1' }
  must(await story.during(story.fleet.hub.patch(secretKind, key, change as never, USER)))
}

export const published = (story: Story, module: string): string => story.see(module).status!.currentRevision!

/** At the first release everywhere; the second waits for what `rollout` says. */
export async function secondRelease(story: Story, rollout: object): Promise<void> {
  await put(story, 'app', '1', { release: '1' })
  await ready(story, 'app')
  await put(story, 'app', '2', { release: '2', rollout: { ...rollout } })
  await story.pass(60)
}

/** The second release does not start on c1. */
export async function failedRelease(story: Story, onFailure: string): Promise<void> {
  await workload(story, 'web', 'web:1', { health: { timeoutSeconds: 60 } })
  await ready(story, 'web')
  for (const { world } of story.fleet.clusters.values()) world.fail(BROKEN)
  await workload(story, 'web', 'web:2', {
    health: { timeoutSeconds: 60 },
    rollout: { strategy: 'Incremental', maxUnavailable: 1, maxFailed: 0, onFailure },
  })
  await story.pass(240)
}

export const STAGES = [
  { name: 'canary', clusters: ['c1'], approval: 'Required' },
  { name: 'rest', clusterSelector: {} },
]
