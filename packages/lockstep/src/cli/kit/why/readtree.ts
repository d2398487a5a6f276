/** Answers about a unit: decided over lists, read from clusters where a cause is an object. */
import type { Result } from '@lockstep/kube/env'
import type { Module } from '../../../api/kinds/index.ts'
import type { WaitRef } from '../../../api/reasons/index.ts'
import { FleetAnswers } from '../../../controllers/plan/index.ts'
import { answerOf, type UnitAnswer } from '../../../decisions/answer/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import {
  cellOf,
  clusterNames,
  type FleetSnapshot,
  moduleWarnings,
  readFleetObjects,
} from '../snapshot/index.ts'
import { LiveReader } from './livereader.ts'
import type { WhyTree } from './whytree.ts'

/** Reads of objects lead to further objects: Pods have no objects behind them. */
const MAX_ROUNDS = 4

/** The tree of one unit, or (`group`) of a record of another tool. */
export async function readTree(
  c: CommandContext,
  hub: HubConnection,
  s: FleetSnapshot,
  unit: WaitRef & { readonly cluster: string },
): Promise<Result<WhyTree, CliFailure>> {
  const objects = await readFleetObjects(c, hub, s)
  if (!objects.ok) return objects
  const reader = new LiveReader(c, hub, s)
  const answers = (): FleetAnswers => new FleetAnswers(objects.value, s.nowMs, reader)
  let found = answers()
  let answer = answerOf(unit, found)
  for (let i = 0; i < MAX_ROUNDS && (await reader.readWanted()); i++) {
    found = answers()
    answer = answerOf(unit, found)
  }
  await reader.close()
  const { causes, roots, isReady, state } = answer
  const module = s.modules.find((m) => m.metadata.name === unit.name)
  const [root] = roots
  return {
    ok: true,
    value: {
      namespace: hub.namespace,
      module: unit.group === undefined ? unit.name : `${unit.object?.kind}/${unit.name}`,
      cluster: unit.cluster,
      state: isReady ? 'ready' : state === 'Failed' ? 'failed' : 'waits',
      ...versionsOf(s, module, unit.cluster),
      ...sinceOf(found.unit(unit)),
      causes,
      clustersBehind: module ? clustersBehind(found, s, unit) : 0,
      modulesBehind: dependentsOf(s, root?.module ?? unit.name),
      warnings: module ? moduleWarnings(module) : [],
    },
  }
}

function versionsOf(s: FleetSnapshot, module: FleetSnapshot['modules'][number] | undefined, cluster: string) {
  if (!module) return { has: '', wants: '' }
  const { spec, status } = module
  const revision = status?.currentRevision?.replace(/^v1:/, '').slice(0, 7)
  return { has: cellOf(s, module, cluster).version, wants: status?.release ?? spec.release ?? revision ?? '' }
}

function sinceOf(unit: UnitAnswer | undefined) {
  const since = unit?.blockers[0]?.since
  return since === undefined ? {} : { since }
}

function clustersBehind(found: FleetAnswers, s: FleetSnapshot, unit: WaitRef): number {
  return clusterNames(s).filter((cluster) => {
    const state = cluster === unit.cluster ? undefined : found.unit({ ...unit, cluster })?.state
    return state === 'Waiting' || state === 'Failed'
  }).length
}

/** Modules that depend on one, directly or through others. */
function dependentsOf(s: FleetSnapshot, name: string): string[] {
  const found = new Set<string>()
  const queue = [name]
  const dependsOn = ({ spec }: { readonly spec: Pick<Module['spec'], 'dependsOn'> }, on: string): boolean =>
    spec.dependsOn?.some((e) => e.module?.name === on) === true
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const m of s.modules) {
      const { name: other } = m.metadata
      if (other === name || found.has(other) || !dependsOn(m, next)) continue
      found.add(other)
      queue.push(other)
    }
  }
  return [...found].sort()
}
