import { ok, type Result } from '@lockstep/kube/env'
import { type Stored, short10, timestamp } from '@lockstep/kube/object'
import { holdKind, type Module } from '../../../api/kinds/index.ts'
import { pinnedRevision, putHold, releaseModule, unknownCluster } from '../../kit/hold/index.ts'
import type { HubConnection } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  durationFlag,
  type Flags,
  failed,
  isSet,
  listFlag,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import {
  environmentOfModule,
  holdPipeline,
  pipelineWord,
  releasePipeline,
} from '../../kit/pipelines/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { withModule } from '../../kit/units/index.ts'

/** `lockstep hold`. */
export const holdCommand: Command = {
  name: 'hold',
  summary: 'Keep a module as it is, or a pipeline from promoting',
  arguments: '<what>',
  completes: ['held'],
  detail:
    'WHAT: a module, or pipeline/NAME. Makes a Hold. Nothing of the module is written to these clusters any more, repairs neither; with --starts only nothing new starts there. With --revision the clusters of --cluster are led to a revision of the history, repaired there, and stay, whatever is published; what relies on the module waits there. Of a pipeline nothing new is promoted, into all environments or those of --environment, and pull requests that are open stay. It ends with lockstep release, or after --until.',
  options: [
    {
      flags: '--cluster <name>',
      completes: 'cluster',
      text: 'only there; may be repeated',
      repeats: true,
    },
    {
      flags: '--environment <name>',
      completes: 'environment',
      text: 'of a pipeline: only into it; may be repeated',
      repeats: true,
    },
    { flags: '--reason <text>', text: 'why, for whoever meets it; without: lockstep hold' },
    { flags: '--revision <revision>', text: 'a pin: they go to this revision or release, and stay there' },
    { flags: '--starts', text: 'what is under way finishes, and is repaired' },
    { flags: '--until <duration>', text: 'ends by itself after so long, such as 8h' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['A customer works on one cluster', 'hold monitoring --cluster prod-eu --reason migration --until 8h'],
    ['One cluster stays at a release', 'hold monitoring --cluster prod-us --revision 2026.10 --reason audit'],
    ['The handbrake, everywhere', 'hold monitoring --reason incident-4711 -n platform'],
    ['Nothing into prod today', 'hold pipeline/podinfo --environment prod --until 8h -n platform'],
  ],
  async run(c, args, flags) {
    const pipeline = pipelineWord(args[0]!)
    if (pipeline !== undefined) return holdPipeline(c, pipeline, flags)
    return environmentOfModule(flags) ?? make(c, args[0]!, flags)
  },
}

/** `lockstep release`. */
export const releaseCommand: Command = {
  name: 'release',
  summary: 'End the Holds on a module or a pipeline',
  arguments: '<what>',
  completes: ['held'],
  detail:
    'WHAT: a module, or pipeline/NAME. Deletes its Holds. With --cluster it goes on there alone: Holds that are on other clusters as well stay on these. A Hold on every cluster cannot leave one out: it is named, nothing of it is changed, and the exit code is 1. So it is with --environment of a pipeline.',
  options: [
    { flags: '--cluster <name>', completes: 'cluster', text: 'only there' },
    { flags: '--environment <name>', completes: 'environment', text: 'of a pipeline: only into it' },
  ],
  formats: ['table', 'name'],
  examples: [
    ['Everything goes on', 'release monitoring -n platform'],
    ['One cluster goes on', 'release monitoring --cluster prod-eu -n platform'],
    ['A pipeline goes on', 'release pipeline/podinfo -n platform'],
  ],
  async run(c, args, flags) {
    const pipeline = pipelineWord(args[0]!)
    if (pipeline !== undefined) return releasePipeline(c, pipeline, flags)
    return environmentOfModule(flags) ?? releaseModule(c, args[0]!, textFlag(flags, 'cluster'))
  },
}

function make(c: CommandContext, word: string, flags: Flags): Promise<CommandResult> {
  return withModule(c, word, async ({ hub, seen, module }) => {
    const reason = textFlag(flags, 'reason') ?? 'lockstep hold'
    const clusters = [...new Set(listFlag(flags, 'cluster'))].sort()
    const unknown = unknownCluster(seen, hub, clusters)
    if (unknown) return unknown
    const until = textFlag(flags, 'until')
    const lasts = until === undefined ? undefined : durationFlag('until', until)
    if (lasts && !lasts.ok) return lasts
    const { name } = module.metadata
    const pin = await pinOf(c, hub, module, { prefix: textFlag(flags, 'revision'), clusters, flags })
    if (!pin.ok) return pin
    const isStarts = isSet(flags, 'starts')
    const action: 'Pause' | 'Suspend' = isStarts ? 'Pause' : 'Suspend'
    const asked = {
      ...(pin.value ?? { action }),
      reason,
      ...(lasts ? { until: timestamp(c.env.clock.now() + lasts.value) } : {}),
    }
    const done = await putHold(c, hub, module, { by: 'hold', clusters, asked })
    if (!done.ok) return done
    const where = clusters.length === 0 ? 'everywhere' : `on ${clusters.join(', ')}`
    const what = pin.value
      ? `it goes to ${short10(pin.value.revision)}, and stays there,`
      : isStarts
        ? 'nothing new of it starts'
        : 'nothing of it is written'
    const text = `${nameOf(holdKind, done.value.metadata.name)}: ${what} ${where}. lockstep release ${name} ends it`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })
}

/** A revision of the history, for clusters that are named. */
async function pinOf(
  c: CommandContext,
  hub: HubConnection,
  module: Stored<Module>,
  { prefix, clusters, flags }: { prefix: string | undefined; clusters: readonly string[]; flags: Flags },
): Promise<Result<{ action: 'Pin'; revision: string } | undefined, CliFailure>> {
  if (prefix === undefined) return ok(undefined)
  const usage = (problem: string, suggestion: string) => failed('E_USAGE', { problem, suggestion })
  if (clusters.length === 0)
    return usage(
      'a pin names clusters: give --cluster',
      `All go back with lockstep rollout undo ${module.metadata.name}.`,
    )
  if (isSet(flags, 'starts')) return usage('--starts is for a pause', 'Leave it out, or --revision.')
  const found = await pinnedRevision(c, hub, module, prefix)
  return found.ok ? ok({ action: 'Pin', revision: found.value }) : found
}
