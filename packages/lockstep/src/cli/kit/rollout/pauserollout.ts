/** `lockstep rollout pause` and `resume`: one Hold, on the whole module or on one cluster. */
import { holdKind } from '../../../api/kinds/index.ts'
import { endHold, holdName, isOn, putHold, readModuleHolds, unknownCluster } from '../hold/index.ts'
import { type CommandContext, type CommandResult, type Flags, isSet, nameOf, textFlag } from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit, listText } from '../terminal/index.ts'
import { type SelectedModule, withModule } from '../units/index.ts'

const clustersOf = (flags: Flags): string[] => {
  const cluster = textFlag(flags, 'cluster')
  return cluster === undefined ? [] : [cluster]
}

/** Only there; nothing: everywhere. */
const on = ([cluster]: readonly string[]): string => (cluster === undefined ? '' : ` --cluster ${cluster}`)

export const pauseRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, seen, module }) => {
    const isNow = isSet(flags, 'now')
    const clusters = clustersOf(flags)
    const unknown = unknownCluster(seen, hub, clusters)
    if (unknown) return unknown
    const asked = {
      action: isNow ? ('Suspend' as const) : ('Pause' as const),
      reason: textFlag(flags, 'reason') ?? 'lockstep rollout pause',
    }
    const done = await putHold(c, hub, module, { by: 'paused', clusters, asked })
    if (!done.ok) return done
    const total = module.status?.clusters?.total ?? 0
    const where = clusters[0] ?? (total === 1 ? 'its cluster' : `all its ${total} clusters`)
    const what = isNow
      ? `nothing is written any more on ${where}, and nothing is repaired there`
      : `nothing new starts on ${where}; what is under way there finishes, and repairs go on`
    const { name } = module.metadata
    const text = `${nameOf(holdKind, done.value.metadata.name)}: ${what}. lockstep rollout resume ${name}${on(clusters)} ends it`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })

/** Takes exactly that back which a pause of the same clusters made. */
export const resumeRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withModule(c, word, async (meant) => {
    const { hub, module } = meant
    const { name, namespace } = module.metadata
    const clusters = clustersOf(flags)
    const key = { name: holdName(module, 'paused', clusters), namespace: namespace! }
    const done = await endHold(c, hub, key)
    if (!done.ok) return done
    const held = await heldStill(c, meant, clusters[0])
    if (!held.ok) return held
    const where = clusters[0] === undefined ? '' : ` on ${clusters[0]}`
    const said = done.value
      ? `goes on${where}`
      : held.value.isHeld
        ? `is held${where} by another Hold: lockstep get holds -n ${namespace}`
        : `was not paused${where}; nothing was changed`
    const left = held.value.paused
    const besides =
      left.length === 0
        ? ''
        : `. It is paused on ${listText(left)}: lockstep rollout resume ${name} --cluster ${left[0]}`
    if (c.globals.output === 'name') c.terminal.data(`${nameOf(holdKind, key.name)}\n`)
    else c.terminal.print(fit(c.terminal.look, `${name} ${said}${besides}`))
    return { ok: true, value: done.value || !held.value.isHeld ? 0 : 1 }
  })

/** Whether what is to go on is held by somebody else; and clusters that are paused alone, where all were meant. */
async function heldStill(c: CommandContext, { hub, module }: SelectedModule, cluster: string | undefined) {
  const found = await readModuleHolds(c, hub, module)
  if (!found.ok) return found
  const nowMs = c.env.clock.now()
  const isPause = (h: (typeof found.value)[number]): boolean => h.spec.action !== 'Pin'
  if (cluster !== undefined) {
    const isHeld = found.value.some(
      (h) => isPause(h) && (h.spec.clusters === undefined || isOn(h, cluster, nowMs)),
    )
    return { ok: true as const, value: { isHeld, paused: [] } }
  }
  const isOurs = ({ metadata, spec: { clusters = [] } }: (typeof found.value)[number]): boolean =>
    clusters.length === 1 && metadata.name === holdName(module, 'paused', clusters)
  const paused = found.value.filter(isOurs).flatMap((h) => h.spec.clusters ?? [])
  const isHeld = module.status?.rollout?.phase === 'Paused'
  return { ok: true as const, value: { isHeld, paused: paused.sort() } }
}
