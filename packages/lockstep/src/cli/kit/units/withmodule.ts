/** The module whose rollout is meant. */
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../../api/kinds/index.ts'
import { type HubConnection, openHub } from '../hub/index.ts'
import type { CommandContext, CommandResult } from '../index.ts'
import { type FleetSnapshot, readSnapshot } from '../snapshot/index.ts'
import { moduleOf } from './selectunits.ts'

export interface SelectedModule {
  readonly hub: HubConnection
  readonly seen: FleetSnapshot
  readonly module: Stored<Module>
}

/** Finds the module that a word means, and closes the connection after the work. */
export async function withModule(
  c: CommandContext,
  word: string,
  work: (m: SelectedModule) => Promise<CommandResult>,
): Promise<CommandResult> {
  const opened = await openHub(c)
  if (!opened.ok) return opened
  const hub = opened.value
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const module = moduleOf(seen.value, hub, word)
  const outcome = module.ok ? await work({ hub, seen: seen.value, module: module.value }) : module
  await hub.client.close()
  return outcome
}
