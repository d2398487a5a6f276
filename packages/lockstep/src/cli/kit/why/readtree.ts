/** Answers about a unit: decided over lists, read from clusters where a cause is an object. */
import { ok, type Result } from '@lockstep/kube/env'
import type { WaitRef } from '../../../api/reasons/index.ts'
import { FleetAnswers } from '../../../controllers/plan/index.ts'
import { answerOf } from '../../../decisions/answer/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import {
  clusterNames,
  dependentsOf,
  type FleetSnapshot,
  moduleWarnings,
  readFleetObjects,
  versionsAt,
} from '../snapshot/index.ts'
import { LiveReader } from './livereader.ts'
import type { WhyTree } from './whytree.ts'

/** Reads of objects lead to further objects: Pods have no objects behind them. */
const MAX_ROUNDS = 4

/** The tree of one unit, of a Module as a whole (no cluster), or (`group`) of a record of another tool. */
export async function readTree(
  c: CommandContext,
  hub: HubConnection,
  s: FleetSnapshot,
  unit: WaitRef,
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
  const { causes, roots, state } = answer
  const { cluster = '' } = unit
  const module = s.modules.find((m) => m.metadata.name === unit.name)
  const others = clusterNames(s).filter((name) => name !== cluster)
  const [root] = roots
  return ok({
    namespace: hub.namespace,
    module: unit.group === undefined ? unit.name : `${unit.object?.kind}/${unit.name}`,
    cluster,
    state: state === 'Ready' ? 'ready' : state === 'Failed' ? 'failed' : 'waits',
    ...versionsAt(s, module, cluster),
    since: found.unit(unit)?.blockers[0]?.since,
    causes,
    clustersBehind: module ? found.unready(unit, others).length : 0,
    modulesBehind: dependentsOf(s, root?.module ?? unit.name).filter((name) => name !== unit.name),
    warnings: module ? moduleWarnings(module) : [],
  })
}
