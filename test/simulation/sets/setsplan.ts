/** A random hub with ClusterResourceSets: whose definition it has, its clusters, its sets in all modes, and who leads. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import { SET, type SetMode } from '../../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { chance } from '../scenario.ts'

export interface RandomSet {
  readonly name: string
  readonly strategy: SetMode
  readonly annotations: Readonly<Record<string, string>>
  /** What its sources hold, by their names. */
  readonly sources: readonly RandomSourcePlan[]
  /** Something has a name of one of its objects before it is there. */
  readonly isFound: boolean
  /** Cluster API has applied it before: to which clusters, and which of its sources are another content by now. */
  readonly isBefore: boolean
}

/** What one entry of a source comes to: a namespace has something in it, a definition has an instance. */
export type ItemKind = 'config' | 'secret' | 'account' | 'deployment' | 'space' | 'definition'

export interface RandomSourcePlan {
  readonly name: string
  readonly items: readonly ItemKind[]
}

export interface SetsPlan {
  /** Our own definition, or Cluster API of a version, whose controller runs. */
  readonly hub: 'own' | '1.9' | '1.13'
  readonly clusters: readonly string[]
  readonly sets: readonly RandomSet[]
  /** One process after another, or whoever holds the Lease. */
  readonly leaders: 'one' | 'elected'
  readonly isLifelike: boolean
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

const few = (random: Random, most: number): number => 1 + Math.floor(random.next() ** 1.5 * most)

const ITEMS: readonly ItemKind[] = [
  ...['config', 'config', 'config', 'secret', 'account', 'deployment'],
  ...['space', 'definition'],
] as ItemKind[]

export function randomPlan(random: Random): SetsPlan {
  const hub = pick(random, ['own', 'own', 'own', '1.9', '1.13'] as const)
  const clusters = Array.from({ length: few(random, 4) }, (_, i) => `c${i + 1}`)
  const sets: RandomSet[] = []
  const count = few(random, 4)
  for (let i = 0; i < count; i++) sets.push(randomSet(random, `s${i + 1}`, hub !== 'own', sets))
  const leaders = chance(random, 0.3) ? 'elected' : 'one'
  return { hub, clusters, sets, leaders, isLifelike: chance(random, 0.5) }
}

function randomSet(
  random: Random,
  name: string,
  isUpstream: boolean,
  before: readonly RandomSet[],
): RandomSet {
  const strategy = pick<SetMode>(random, ['ApplyOnce', 'Reconcile', 'Continuous', 'Continuous'])
  const count = few(random, 3)
  const sources = Array.from({ length: count }, (_, i) => randomSource(random, `${name}-${'abc'[i]}`))
  const mode: Record<string, string> = isUpstream && strategy === 'Continuous' ? { [SET.mode]: strategy } : {}
  return {
    name,
    // What Cluster API's definition does not know is asked for by annotation.
    strategy: isUpstream && strategy === 'Continuous' ? 'Reconcile' : strategy,
    annotations: { ...mode, ...randomSettings(random, strategy, before) },
    sources,
    isFound: chance(random, 0.2),
    isBefore: !isUpstream && chance(random, 0.2),
  }
}

function randomSource(random: Random, name: string): RandomSourcePlan {
  const items = Array.from({ length: few(random, 4) }, () => pick(random, ITEMS))
  return { name: chance(random, 0.25) ? `secret-${name}` : name, items }
}

export function randomSettings(
  random: Random,
  mode: SetMode,
  before: readonly RandomSet[] = [],
): Record<string, string> {
  const some = <T extends string>(p: number, annotation: string, values: readonly T[]) =>
    chance(random, p) ? { [annotation]: pick(random, values) } : {}
  const all = {
    ...some(0.3, SET.interval, ['30s', '1m', '10m']),
    ...some(0.4, SET.maxUnavailable, ['1', '50%', '100%']),
  }
  if (mode === 'ApplyOnce') return { ...all, ...some(0.2, SET.existing, ['Take', 'Keep']) }
  if (mode === 'Reconcile') return { ...all, ...some(0.2, SET.write, ['MergePatch']) }
  const others = before.filter((s) => s.strategy === 'Continuous').map((s) => s.name)
  return {
    ...all,
    ...some(0.5, SET.prune, ['true']),
    ...some(0.2, SET.allowEmpty, ['true']),
    ...some(0.25, SET.drift, ['Report', 'Ignore']),
    ...some(0.4, SET.deletionPolicy, ['Delete']),
    ...some(0.3, SET.ordering, ['Listed']),
    ...(others.length > 0 && chance(random, 0.4)
      ? dependsOn('ClusterResourceSet', pick(random, others))
      : {}),
    ...(chance(random, 0.1) ? dependsOn('Module', BASE) : {}),
  }
}

/** A Module that is always there. */
export const BASE = 'base'

const dependsOn = (kind: string, name: string): Record<string, string> => ({
  [SET.dependsOn]: JSON.stringify([{ id: 'first', module: { kind, name } }]),
})
