/** A random pipeline: two to four environments, on which host, of what kind of application, and how revisions get into each of them. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { HostKind } from '../../../packages/simulators/src/githost/githost.ts'
import { chance } from '../../simulation/scenario.ts'
import { type EnvironmentOptions, REPOSITORY } from '../pipelinestory.ts'

export interface PipelinePlan {
  /** In their order; the first one is where revisions begin. */
  readonly names: readonly string[]
  readonly environments: Readonly<Record<string, EnvironmentOptions>>
  readonly clusters: readonly string[]
  readonly provider: HostKind
  /** What carries revisions; Modules are delivered by Lockstep itself. */
  readonly app: 'HelmRelease' | 'Module'
  /** What becomes of its pull requests where people delete it. */
  readonly deletionPolicy: 'Orphan' | 'Close'
  /** Who leads: one process after another, whoever holds the Lease, or two that both believe that they do. */
  readonly leaders: 'one' | 'elected' | 'both'
  /** What the source is at, one after the other. */
  readonly versions: readonly string[]
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

const NAMES = ['dev', 'staging', 'prod', 'live']
const CLUSTERS = [
  ['eu', 'us'],
  ['asia', 'eu', 'us'],
]

/** Of those out of reach so many are forgiven. */
const FEWEST = [1, 2, 'All']

export function randomPlan(random: Random): PipelinePlan {
  const names = NAMES.slice(0, 2 + Math.floor(random.next() * 3))
  const app = chance(random, 0.2) ? 'Module' : 'HelmRelease'
  // Modules of other clusters are nothing that a promotion can write.
  const clusters = app === 'HelmRelease' && chance(random, 0.5) ? pick(random, CLUSTERS) : []
  const far = clusters.length > 0 ? pick(random, names) : undefined
  const environments: Record<string, EnvironmentOptions> = {}
  for (const [i, name] of names.entries()) {
    const from = i > 1 && chance(random, 0.3) ? { from: [pick(random, names.slice(0, i))] } : {}
    const readiness = {
      ...(name === far ? { minReady: pick(random, FEWEST) } : {}),
      ...(chance(random, 0.3) ? { soakSeconds: pick(random, [5, 30]) } : {}),
    }
    const promotion = i === 0 ? undefined : randomPromotion(random, app)
    const isTwice = isOfModules(promotion) && chance(random, 0.5)
    environments[name] = {
      ...(name === far ? { clusters } : {}),
      ...(isTwice ? { targets: [{ namespace: name }, { namespace: `${name}-2` }] } : {}),
      ...(Object.keys(readiness).length > 0 ? { readiness } : {}),
      ...(promotion ? { ...from, promotion } : {}),
    }
  }
  const count = 2 + Math.floor(random.next() * 4)
  // Back to what was there before as often as on to what is new.
  const versions = Array.from({ length: count }, (_, i) => `${i < 2 ? i + 1 : pick(random, [1, 2, 3])}.0.0`)
  return {
    names,
    environments,
    clusters,
    app,
    versions,
    provider: pick(random, ['github', 'gitlab', 'gitea']),
    leaders: pick(random, ['one', 'elected', 'both']),
    deletionPolicy: pick(random, ['Orphan', 'Orphan', 'Close']),
  }
}

export const strategyOf = (promotion: EnvironmentOptions['promotion']): string | undefined =>
  (promotion as { strategy?: string } | undefined)?.strategy

export const isOfModules = (promotion: EnvironmentOptions['promotion']): boolean =>
  strategyOf(promotion) === 'module'

/** All namespaces that an environment is in, one for each target. */
export const namespacesOf = ({ environments }: PipelinePlan, name: string): readonly string[] =>
  (environments[name]!.targets as { namespace: string }[] | undefined)?.map((t) => t.namespace) ?? [name]

function randomPromotion(random: Random, app: PipelinePlan['app']): object {
  return {
    ...randomStrategy(random, app),
    ...(chance(random, 0.15) ? { approval: 'Required' } : {}),
    ...(chance(random, 0.2) ? { verify: { soakSeconds: pick(random, [0, 20]), timeoutSeconds: 600 } } : {}),
    ...(chance(random, 0.2) ? { rollback: 'OnFailure', convergeDeadlineSeconds: 300 } : {}),
    ...(chance(random, 0.15)
      ? { windows: [{ action: 'Deny', schedule: '*/10 * * * *', durationSeconds: 120 }] }
      : {}),
  }
}

function randomStrategy(random: Random, app: PipelinePlan['app']): object {
  const strategy = pick(random, [
    ...Array<string>(6).fill('pull-request'),
    ...Array<string>(app === 'Module' ? 12 : 0).fill('module'),
    ...['push', 'push', 'notification', 'manual'],
  ])
  if (strategy === 'push')
    return { strategy, push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } } }
  if (strategy === 'notification') return { strategy, notification: { url: 'https://hooks.test/in' } }
  if (strategy === 'manual' || strategy === 'module') return { strategy }
  const onNewer = pick(random, ['Close', 'Update'])
  const mergeMethod = pick(random, ['merge', 'squash', 'rebase'])
  const pullRequest = {
    autoMerge: chance(random, 0.6),
    mergeMethod,
    deleteBranch: chance(random, 0.8),
    onConflict: chance(random, 0.8) ? 'Rebuild' : 'Wait',
  }
  return { strategy, onNewer, pullRequest }
}
