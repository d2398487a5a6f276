/** `lockstep pin` and `lockstep unpin`: Holds that keep clusters at a revision. */

import { ok } from '@lockstep/kube/env'
import { short10 } from '@lockstep/kube/object'
import { holdKind } from '../../../api/kinds/index.ts'
import { type CommandContext, type CommandResult, type Flags, failed, nameOf, textFlag } from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit, listText } from '../terminal/index.ts'
import { withModule } from '../units/index.ts'
import { endedText, endHoldsOn, printEnded } from './endedholds.ts'
import { holdEnd } from './holdend.ts'
import { pinnedRevision, putHold, readModuleHolds, unknownCluster } from './moduleholds.ts'
import { unitWord } from './unitword.ts'

/** Clusters by module, sorted; or the word that names no cluster. */
function unitsByModule(words: readonly string[]): Map<string, string[]> | string {
  const out = new Map<string, string[]>()
  for (const word of words) {
    const { module, cluster } = unitWord(word)
    if (cluster === undefined) return word
    out.set(module, [...new Set([...(out.get(module) ?? []), cluster])].sort())
  }
  return out
}

const noCluster = (command: string, word: string): CommandResult =>
  failed('E_USAGE', {
    problem: `lockstep ${command} requires MODULE@CLUSTER, and "${word}" names no cluster`,
    suggestion:
      command === 'pin'
        ? `to roll back all clusters, use lockstep rollout undo ${word}`
        : `to list pins, use lockstep get holds; then lockstep unpin ${word}@CLUSTER`,
  })

export async function pinUnits(
  c: CommandContext,
  words: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const units = unitsByModule(words)
  if (typeof units === 'string') return noCluster('pin', units)
  const revision = textFlag(flags, 'revision')
  if (revision === undefined)
    return failed('E_USAGE', {
      problem: 'lockstep pin requires --revision',
      suggestion: `to list revisions and releases, use lockstep rollout history ${[...units.keys()][0]}`,
    })
  for (const [module, clusters] of units) {
    const done = await pinModule(c, module, { clusters, revision, flags })
    if (!done.ok) return done
  }
  return { ok: true, value: 0 }
}

const pinModule = (
  c: CommandContext,
  word: string,
  o: { readonly clusters: readonly string[]; readonly revision: string; readonly flags: Flags },
): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, seen, module }) => {
    const { clusters, flags } = o
    const unknown = unknownCluster(seen, hub, clusters)
    if (unknown) return unknown
    const end = holdEnd(c, flags)
    if (!end.ok) return end
    const revision = await pinnedRevision(c, hub, module, o.revision)
    if (!revision.ok) return revision
    const asked = {
      action: 'Pin' as const,
      revision: revision.value,
      reason: textFlag(flags, 'reason') ?? 'lockstep pin',
      ...end.value,
    }
    const done = await putHold(c, hub, module, { by: 'pinned', clusters, asked })
    if (!done.ok) return done
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(
        fit(
          c.terminal.look,
          pinText(done.value.metadata.name, module.metadata.name, clusters, revision.value),
        ),
      )
    return { ok: true, value: 0 }
  })

/** Result of a pin, with the command that ends it. */
export function pinText(hold: string, module: string, clusters: readonly string[], revision: string): string {
  const units = clusters.map((cluster) => `${module}@${cluster}`).join(' ')
  return `${nameOf(holdKind, hold)}: ${module} on ${listText(clusters)} is pinned at ${short10(revision)}; end it with: lockstep unpin ${units}`
}

export async function unpinUnits(c: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const units = unitsByModule(words)
  if (typeof units === 'string') return noCluster('unpin', units)
  for (const [module, clusters] of units) {
    const done = await unpinModule(c, module, clusters)
    if (!done.ok) return done
  }
  return { ok: true, value: 0 }
}

const unpinModule = (c: CommandContext, word: string, clusters: readonly string[]): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, seen, module }) => {
    const pins = async () => {
      const found = await readModuleHolds(c, hub, module)
      return found.ok ? ok(found.value.filter((h) => h.spec.action === 'Pin')) : found
    }
    const before = await pins()
    if (!before.ok) return before
    const strangers = clusters.filter((name) => !before.value.some((h) => h.spec.clusters?.includes(name)))
    const unknown = unknownCluster(seen, hub, strangers)
    if (unknown) return unknown
    for (const cluster of clusters) {
      const done = await endHoldsOn(c, hub, cluster, pins)
      if (!done.ok) return done
      const changed = endedText(done.value)
      const unit = `${module.metadata.name} on ${cluster}`
      const text =
        changed === '' ? `${unit} is not pinned; nothing was changed` : `${unit} is unpinned: ${changed}`
      printEnded(c, [...done.value.ended, ...done.value.left], text)
    }
    return { ok: true, value: 0 }
  })
