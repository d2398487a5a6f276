/** A random pipeline: two to four environments, and how revisions get into each of them. */
import type { Random } from '../../../src/env/env.ts'
import { chance } from '../../simulation/scenario.ts'
import { type EnvironmentOptions, REPOSITORY } from '../pipelinestory.ts'

export interface PipelinePlan {
  /** In their order; the first one is where revisions begin. */
  readonly names: readonly string[]
  readonly environments: Readonly<Record<string, EnvironmentOptions>>
  readonly clusters: readonly string[]
  /** Who leads: one process after another, whoever holds the Lease, or two that both believe that they do. */
  readonly leaders: 'one' | 'elected' | 'both'
  /** What the source is at, one after the other. */
  readonly versions: readonly string[]
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

const NAMES = ['dev', 'staging', 'prod', 'live']

export function randomPlan(random: Random): PipelinePlan {
  const names = NAMES.slice(0, 2 + Math.floor(random.next() * 3))
  const clusters = chance(random, 0.2) ? ['eu', 'us'] : []
  const far = clusters.length > 0 ? pick(random, names) : undefined
  const environments: Record<string, EnvironmentOptions> = {}
  for (const [i, name] of names.entries()) {
    const from = i > 1 && chance(random, 0.3) ? { from: [pick(random, names.slice(0, i))] } : {}
    environments[name] = {
      ...(name === far ? { clusters } : {}),
      ...(chance(random, 0.3) ? { readiness: { soakSeconds: pick(random, [5, 30]) } } : {}),
      ...(i === 0 ? {} : { ...from, promotion: randomPromotion(random) }),
    }
  }
  const count = 2 + Math.floor(random.next() * 4)
  // Back to what was there before as often as on to what is new.
  const versions = Array.from({ length: count }, (_, i) => `${i < 2 ? i + 1 : pick(random, [1, 2, 3])}.0.0`)
  return { names, environments, clusters, leaders: pick(random, ['one', 'elected', 'both']), versions }
}

function randomPromotion(random: Random): object {
  return {
    ...randomStrategy(random),
    ...(chance(random, 0.15) ? { approval: 'Required' } : {}),
    ...(chance(random, 0.2) ? { verify: { soakSeconds: pick(random, [0, 20]), timeoutSeconds: 600 } } : {}),
    ...(chance(random, 0.2) ? { rollback: 'OnFailure', convergeDeadlineSeconds: 300 } : {}),
    ...(chance(random, 0.15)
      ? { windows: [{ action: 'Deny', schedule: '*/10 * * * *', durationSeconds: 120 }] }
      : {}),
  }
}

function randomStrategy(random: Random): object {
  const strategy = pick(random, [
    ...Array<string>(6).fill('pull-request'),
    ...['push', 'push', 'notification', 'manual'],
  ])
  if (strategy === 'push')
    return { strategy, push: { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } } }
  if (strategy === 'notification') return { strategy, notification: { url: 'https://hooks.test/in' } }
  if (strategy === 'manual') return { strategy }
  const onNewer = pick(random, ['Close', 'Update'])
  const mergeMethod = pick(random, ['merge', 'squash', 'rebase'])
  const pullRequest = {
    ...{ autoMerge: chance(random, 0.6), mergeMethod, deleteBranch: chance(random, 0.8) },
    onConflict: chance(random, 0.8) ? 'Rebuild' : 'Wait',
  }
  return { strategy, onNewer, pullRequest }
}
