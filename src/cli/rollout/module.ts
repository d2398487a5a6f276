/** The module whose rollout is meant. */
import type { Stored } from '../../api/kind.ts'
import type { Module } from '../../api/registry.ts'
import { ok, type Result } from '../../env/result.ts'
import type { Context } from '../command.ts'
import { type CliFailure, failed, type Outcome } from '../failure.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { nearest } from '../terminal/text.ts'
import { readSnapshot, type Snapshot } from '../view/snapshot.ts'

export interface Meant {
  readonly hub: Hub
  readonly seen: Snapshot
  readonly module: Stored<Module>
}

/** Finds the module that a word means, and closes the connection after the work. */
export async function withModule(
  c: Context,
  word: string,
  work: (m: Meant) => Promise<Outcome>,
): Promise<Outcome> {
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

/** `web`, `module/web` or `bmod/web`. */
function moduleOf(s: Snapshot, hub: Hub, text: string): Result<Stored<Module>, CliFailure> {
  const [word, name] = text.includes('/') ? (text.split('/') as [string, string]) : [undefined, text]
  const isMeant = (m: Stored<Module>): boolean =>
    word === undefined || /^b/i.test(word) === (m.kind === 'BootstrapModule')
  const found = s.modules.find((m) => m.metadata.name === name && isMeant(m))
  if (found) return ok(found)
  const names = s.modules.map((m) => m.metadata.name)
  const meant = nearest(name, names)
  const suggestion = meant ? `Did you mean ${meant}?` : 'Another namespace? -n chooses one.'
  return failed('E_NOT_FOUND', { kind: 'Module', name, namespace: hub.namespace, suggestion })
}
