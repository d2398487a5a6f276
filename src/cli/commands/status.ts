import { type Command, type Context, isSet } from '../command.ts'
import { failed, type Outcome } from '../failure.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { printData } from '../output/objects.ts'
import { nearest } from '../terminal/text.ts'
import { clusterView } from '../view/cluster.ts'
import { fleetView } from '../view/fleet.ts'
import { moduleView } from '../view/module.ts'
import { inOrder, readSnapshot, type Snapshot } from '../view/snapshot.ts'
import type { View } from '../view/view.ts'
import { watchView } from '../view/watch.ts'

/** `lockstep status`. */
export const status: Command = {
  name: 'status',
  summary: 'Show the fleet, a module or a cluster',
  arguments: '[what]',
  completes: ['view'],
  detail: 'WHAT: a module, or cluster/NAME; absent: modules × clusters. Exit 1 when something failed.',
  options: [{ flags: '-w, --watch', text: 'go on until interrupted' }],
  examples: [
    ['The fleet', 'status -n platform'],
    ['One module: progress, and what holds it up', 'status monitoring -n platform'],
    ['One cluster', 'status cluster/prod-eu -n platform'],
    ['Watch it move', 'status -w -n platform'],
  ],
  async run(c, args, flags) {
    const hub = await openHub(c)
    if (!hub.ok) return hub
    if (!isSet(flags, 'watch')) return once(c, hub.value, args[0])
    return watchView(c, hub.value, args[0] ?? '', (s) => viewOf(c, hub.value, s, args[0]))
  },
}

async function once(c: Context, hub: Hub, what: string | undefined): Promise<Outcome> {
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const view = viewOf(c, hub, seen.value, what)
  if (!view.ok) return view
  const { lines, facts, names, hasFailed } = view.value
  if (!printData(c, facts, names)) for (const line of lines) c.terminal.print(line)
  return { ok: true, value: hasFailed ? 1 : 0 }
}

function viewOf(c: Context, hub: Hub, s: Snapshot, what: string | undefined) {
  const { terminal } = c
  const ok = (value: View) => ({ ok: true as const, value })
  if (what === undefined) return ok(fleetView(terminal, s, hub.namespace))
  if (what.startsWith('cluster/')) {
    const name = what.slice('cluster/'.length)
    if (s.clusters.some((x) => x.name === name)) return ok(clusterView(terminal, s, name))
    const names = s.clusters.map((x) => x.name)
    return missing('cluster', name, hub, nearest(name, names))
  }
  const name = what.replace(/^modules?\//i, '')
  const module = s.modules.find((m) => m.metadata.name === name)
  if (module) return ok(moduleView(terminal, s, module))
  const names = inOrder(s.modules).map((m) => m.metadata.name)
  return missing('Module', name, hub, nearest(name, names))
}

function missing(kind: string, name: string, hub: Hub, meant: string | undefined) {
  const suggestion = meant ? `Did you mean ${meant}?` : `Another namespace? -n chooses one.`
  return failed('E_NOT_FOUND', { kind, name, namespace: hub.namespace, suggestion })
}
