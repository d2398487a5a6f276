/** Random platforms and what people do to them: all from one seed. */

import type { Random } from '../../packages/kube/src/env/env.ts'
import type { ConfigMap } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'

interface EdgePlan {
  readonly on: string
  readonly release: 'Same' | 'Any'
  /** Not beside the dependant, but there. */
  readonly cluster?: string
  /** Not all of it, but its waves before this one. */
  readonly beforeWave?: number
  /** Not the module, but the first of its objects. */
  readonly object?: { readonly apiVersion: string; readonly kind: string }
}

export interface ScenarioModule {
  readonly name: string
  readonly dependsOn: readonly EdgePlan[]
  readonly rollout: Readonly<Record<string, unknown>>
  readonly objects: readonly ('config' | 'deployment' | 'job' | 'secret' | 'account')[]
  readonly waves: boolean
  /** Its objects are in steps; its hook is of the first. */
  readonly steps: boolean
  readonly releases: boolean
  /** Its ConfigMaps cannot change: they are made anew. */
  readonly sealed: boolean
  /** From its second version on it leaves the number of Pods to others. */
  readonly scaled: boolean
  /** When a Job of it runs as a hook. */
  readonly hook: string | undefined
  /** Its ConfigMaps are there before it. */
  readonly found: boolean
}

export interface RandomPlatform {
  readonly modules: readonly ScenarioModule[]
  readonly clusters: readonly string[]
  /** What its DisruptionBudgets say, beside their selector. */
  readonly budgets: readonly Readonly<Record<string, number | string>>[]
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

export const chance = (random: Random, p: number): boolean => random.next() < p

/** How many clusters and modules a platform has at most. */
export interface PlatformSize {
  readonly clusters: number
  readonly modules: number
}

/** Of a module in waves often no more than some of them; of others, too, where that is all or nothing. */
const partOf = ({ waves }: ScenarioModule, random: Random): Partial<EdgePlan> =>
  chance(random, waves ? 0.6 : 0.1) ? { beforeWave: pick(random, [0, 1, 2, 3]) } : {}

export function randomPlatform(random: Random, most: PlatformSize): RandomPlatform {
  const clusters = Array.from(
    { length: 1 + Math.floor(random.next() * most.clusters) },
    (_, i) => `c${i + 1}`,
  )
  const count = 2 + Math.floor(random.next() * (most.modules - 1))
  const releases = chance(random, 0.8)
  const ways = random.fork('edges')
  const [seals, scales, finds] = [random.fork('seals'), random.fork('scales'), random.fork('finds')]
  const [hooks, stages, limits] = [random.fork('hooks'), random.fork('stages'), random.fork('limits')]
  const [steps, parts] = [random.fork('steps'), random.fork('parts')]
  const modules: ScenarioModule[] = []
  for (let i = 0; i < count; i++) {
    const below = Array.from({ length: i }, (_, k) => k).filter(() => chance(random, 0.5))
    const dependsOn = below.map(
      (k): EdgePlan => ({
        on: `m${k + 1}`,
        release: chance(random, 0.85) ? 'Same' : 'Any',
        ...wayTo(modules[k]!, clusters, ways),
        ...partOf(modules[k]!, parts),
      }),
    )
    const staged = inStages(stages)
    modules.push({
      name: `m${i + 1}`,
      dependsOn,
      rollout: {
        ...pick(random, [
          {},
          { strategy: 'Replace' },
          { maxUnavailable: 2 },
          { maxUnavailable: '50%', maxFailed: 1 },
        ]),
        // Clusters that wait for others, and stages of another order, may wait for each other on the way back.
        ...(clusters.length > 1 && dependsOn.length > 0 && staged.strategy ? {} : staged),
      },
      objects: Array.from({ length: 1 + Math.floor(random.next() * 4) }, () =>
        pick(random, ['config', 'deployment', 'job', 'secret', 'account'] as const),
      ),
      waves: chance(random, 0.2),
      steps: chance(steps, 0.2),
      releases,
      sealed: chance(seals, 0.25),
      scaled: chance(scales, 0.5),
      found: chance(finds, 0.25),
      hook: pick(hooks, [undefined, undefined, 'PreSync', 'PostSync', 'PreSync,PostSync', 'PreDelete']),
    })
  }
  return { modules, clusters, budgets: chance(limits, 0.6) ? pick(limits, limitsOf(clusters.length)) : [] }
}

/** None of them keeps everything from starting. */
const limitsOf = (clusters: number): RandomPlatform['budgets'][] => [
  [{ maxUnavailable: 1 }],
  [{ minAvailable: clusters - 1 }],
  [{ maxUnavailable: 2 }, { maxUnavailable: '34%' }],
]

export const budgetsOf = ({ budgets }: RandomPlatform): KubeObject[] =>
  budgets.map((limit, i) => ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'DisruptionBudget',
    metadata: { name: `b${i + 1}`, namespace: NAMESPACE },
    spec: { clusterSelector: {}, ...limit },
  }))

/** Some go out in stages, and some turn round when they fail. */
function inStages(random: Random): Readonly<Record<string, unknown>> {
  const onFailure = pick(random, ['Halt', 'Halt', 'Continue', 'Rollback'])
  const supersede = pick(random, ['Replace', 'Replace', 'Wait'])
  const first = { name: 'first', size: 1, soakSeconds: pick(random, [0, 30]) }
  const staged = { strategy: 'Staged', stages: [first, { name: 'others', clusterSelector: {} }] }
  return { onFailure, supersede, ...(chance(random, 0.3) ? staged : {}) }
}

const OBJECTS = {
  config: { apiVersion: 'v1', kind: 'ConfigMap' },
  secret: { apiVersion: 'v1', kind: 'Secret' },
  account: { apiVersion: 'v1', kind: 'ServiceAccount' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment' },
  // Its name changes with the version.
  job: undefined,
} as const

/** Most edges are to the module beside the dependant; some to one elsewhere, some to an object. */
function wayTo(plan: ScenarioModule, clusters: readonly string[], random: Random): Partial<EdgePlan> {
  const object = OBJECTS[plan.objects[0]!]
  if (chance(random, 0.15)) return { cluster: pick(random, clusters) }
  return object && chance(random, 0.15) ? { object } : {}
}

/** The manifests of a module at a version: some objects come and go with it. */
export function manifestsOf(plan: ScenarioModule, version: number, random: Random): string {
  const docs = plan.objects.flatMap((kind, i) => {
    const isDropped = version > 1 && i > 0 && chance(random, 0.25)
    return isDropped ? [] : [manifest(plan, kind, `${plan.name}-${i}`, chance(random, 0.7) ? version : 1, i)]
  })
  return [...docs, ...(plan.hook === undefined ? [] : [hookOf(plan, plan.hook, version)])].join('---\n')
}

/** Every second version leaves it behind until its next run. */
function hookOf({ name }: ScenarioModule, phase: string, version: number): string {
  const policy = version % 2 === 0 ? 'HookSucceeded' : 'BeforeHookCreation'
  const annotations = `{argocd.argoproj.io/hook: "${phase}", argocd.argoproj.io/hook-delete-policy: ${policy}}`
  const head = `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}-hook\n  namespace: default\n`
  const pod = `      containers: [{name: main, image: "hook:v${version}"}]\n      restartPolicy: Never\n`
  return `${head}  annotations: ${annotations}\nspec:\n  template:\n    spec:\n${pod}`
}

function manifest(
  plan: ScenarioModule,
  kind: ScenarioModule['objects'][number],
  name: string,
  version: number,
  index: number,
): string {
  const notes = [
    ...(plan.waves ? [`argocd.argoproj.io/sync-wave: "${index % 3}"`] : []),
    ...(plan.steps ? [`lockstep.dev/step: "${index % 2}"`] : []),
  ]
  const annotations = notes.length === 0 ? '' : `\n  annotations: {${notes.join(', ')}}`
  const head = (apiVersion: string, k: string, n = name) =>
    `apiVersion: ${apiVersion}\nkind: ${k}\nmetadata:\n  name: ${n}\n  namespace: default${annotations}\n`
  const pod = (image: string, restart = '') =>
    `      containers: [{name: main, image: "${image}:v${version}"}]\n${restart}`
  switch (kind) {
    case 'config':
      return `${head('v1', 'ConfigMap')}data: {version: "${version}"}\n${plan.sealed ? 'immutable: true\n' : ''}`
    case 'secret':
      return `${head('v1', 'Secret')}stringData: {token: "t${version}"}\n`
    case 'account':
      return head('v1', 'ServiceAccount')
    case 'job':
      return `${head('batch/v1', 'Job', `${name}-v${version}`)}spec:\n  template:\n    spec:\n${pod(name, '      restartPolicy: Never\n')}`
    case 'deployment':
      return `${head('apps/v1', 'Deployment')}spec:\n  replicas: 1\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec:\n${pod(name)}`
  }
}

export function configMapOf(plan: ScenarioModule, version: number, text: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${plan.name}-v${version}`, namespace: NAMESPACE },
    data: { 'all.yaml': text },
  }
}

const REPLICAS = { target: { kind: 'Deployment' }, paths: ['/spec/replicas'] }

/** What somebody had made of a module's ConfigMaps, with kubectl. */
export const foundOf = (plan: ScenarioModule): ConfigMap[] =>
  plan.objects.flatMap((kind, i) => {
    const metadata = { name: `${plan.name}-${i}`, namespace: 'default' }
    const data = { version: '0', mine: 'goes' }
    return plan.found && kind === 'config' ? [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }] : []
  })

export function moduleOf(plan: ScenarioModule, version: number): KubeObject {
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: plan.name, namespace: NAMESPACE },
    spec: {
      ...(plan.releases ? { release: `r${version}` } : {}),
      source: { configMaps: [{ name: `${plan.name}-v${version}` }] },
      targets: { clusterSelector: {} },
      rollout: plan.rollout,
      apply: {
        replaceImmutable: plan.sealed,
        ...(plan.scaled && version > 1 ? { ignore: [REPLICAS] } : {}),
      },
      health: { timeoutSeconds: 120, degradedSeconds: 5 },
      dependsOn: plan.dependsOn.map(edgeOf),
    },
  }
}

function edgeOf({ on, release, cluster, object, beforeWave }: EdgePlan): Readonly<Record<string, unknown>> {
  if (object) return { id: on, object: { ...object, name: `${on}-0`, namespace: 'default' } }
  const clusterRef = cluster === undefined ? {} : { clusterRef: { name: cluster } }
  const part = beforeWave === undefined ? {} : { beforeWave }
  return { id: on, module: { kind: 'Module', name: on, ...clusterRef }, release, ...part }
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const out = [...list]
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1))
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}
