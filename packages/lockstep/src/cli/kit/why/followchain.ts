/** Reads and follows in turns, until the chain ends. */

import type { HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import type { FleetSnapshot } from '../snapshot/index.ts'
import { chainOf } from './chain.ts'
import { LiveReader } from './livereader.ts'
import type { ObjectWithPods } from './podnodes.ts'
import { type WhyTree, wantedKey } from './whytree.ts'

const MOST_ROUNDS = 4

/** Reads live objects until the chain asks for no more. */
export async function followChain(
  c: CommandContext,
  hub: HubConnection,
  s: FleetSnapshot,
  module: FleetSnapshot['modules'][number],
  cluster: string,
): Promise<WhyTree> {
  const reader = new LiveReader(c, hub, s)
  const live = new Map<string, ObjectWithPods>()
  let chain = chainOf(s, module, cluster, live)
  for (let i = 0; i < MOST_ROUNDS && chain.wanted.length > 0; i++) {
    for (const w of chain.wanted) live.set(wantedKey(w), await reader.read(w))
    chain = chainOf(s, module, cluster, live)
  }
  await reader.close()
  return chain.tree
}
