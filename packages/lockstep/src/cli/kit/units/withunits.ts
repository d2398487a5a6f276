/** What commands that look at units on their clusters have in common. */
import { ok } from '@lockstep/kube/env'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { ClusterConnections, type HubConnection, openHub } from '../hub/index.ts'
import { type CommandContext, type CommandResult, type Flags, type Option, textFlag } from '../index.ts'
import { readSnapshot } from '../snapshot/index.ts'
import { allUnits, revisionsOf, type SelectedUnit, selectUnits } from './selectunits.ts'

export const clusterOption: Option = {
  flags: '--cluster <name>',
  completes: 'cluster',
  text: 'only this cluster',
}

export interface Units {
  readonly hub: HubConnection
  readonly units: readonly SelectedUnit[]
  /** Of their module; empty for all units. */
  readonly history: readonly RevisionRecord[]
  readonly clusters: ClusterConnections
}

/** Finds the units that a word means, or all of the namespace without one, and closes all connections after the work. */
export async function withUnits(
  c: CommandContext,
  word: string | undefined,
  flags: Flags,
  work: (u: Units) => Promise<CommandResult>,
): Promise<CommandResult> {
  const opened = await openHub(c)
  if (!opened.ok) return opened
  const hub = opened.value
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const cluster = textFlag(flags, 'cluster')
  const units =
    word === undefined ? ok(allUnits(seen.value, cluster)) : selectUnits(seen.value, hub, word, cluster)
  if (!units.ok) return units
  const [first] = units.value
  const history = first && word !== undefined ? await revisionsOf(c, hub, first.ref) : undefined
  if (history && !history.ok) return history
  const clusters = new ClusterConnections(c, hub, seen.value.clusters)
  const outcome = await work({ hub, units: units.value, history: history?.value ?? [], clusters })
  await clusters.close()
  await hub.client.close()
  return outcome
}
