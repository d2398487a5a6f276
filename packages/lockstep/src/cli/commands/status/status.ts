import { ok, type Result } from '@lockstep/kube/env'
import { type HubConnection, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import {
  followAllPipelines,
  type PipelineSnapshot,
  pipelineNamed,
  pipelineView,
  pipelineWord,
  promotionNamed,
  promotionView,
  promotionWord,
  readAllPipelines,
} from '../../kit/pipelines/index.ts'
import {
  clusterNames,
  clusterView,
  type FleetSnapshot,
  fleetView,
  followFleet,
  inOrder,
  moduleView,
  readSnapshot,
  type StatusView,
  type WatchedView,
  watchView,
} from '../../kit/snapshot/index.ts'
import { nearest } from '../../kit/terminal/index.ts'

/** `lockstep status`. */
export const statusCommand: Command = {
  name: 'status',
  summary: 'Show the fleet, a Module, a cluster or a Pipeline',
  arguments: '[what]',
  completes: ['view'],
  detail:
    'WHAT: a Module, cluster/NAME, pipeline/NAME or promotion/NAME; without it, a matrix of Modules and clusters. Exit 1 when a unit has failed.',
  options: [{ flags: '-w, --watch', text: 'watch until interrupted' }],
  examples: [
    ['Show the progress and blockers of a Module', 'status monitoring -n platform'],
    ['Show one cluster', 'status cluster/prod-eu -n platform'],
    ['Show the environments and promotions of a Pipeline', 'status pipeline/podinfo -n platform'],
    ['Watch the fleet', 'status -w -n platform'],
  ],
  async run(c, args, flags) {
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const what = args[0]
    const isOfPipelines = what !== undefined && (pipelineWord(what) ?? promotionWord(what)) !== undefined
    return isOfPipelines
      ? shown(c, hub.value, flags, {
          what,
          read: readAllPipelines,
          follow: followAllPipelines,
          look: (s) => promotingView(c, hub.value, s, what),
        })
      : shown(c, hub.value, flags, {
          what: what ?? '',
          read: readSnapshot,
          follow: followFleet,
          look: (s) => viewOf(c, hub.value, s, what),
        })
  },
}

interface Shown<S> extends WatchedView<S> {
  read(c: CommandContext, hub: HubConnection): Promise<Result<S, CliFailure>>
}

const shown = <S>(
  c: CommandContext,
  hub: HubConnection,
  flags: Flags,
  of: Shown<S>,
): Promise<CommandResult> => (isSet(flags, 'watch') ? watchView(c, hub, of) : once(c, hub, of))

async function once<S>(
  c: CommandContext,
  hub: HubConnection,
  { read, look }: Shown<S>,
): Promise<CommandResult> {
  const seen = await read(c, hub)
  if (!seen.ok) return seen
  const view = look(seen.value)
  if (!view.ok) return view
  const { lines, facts, names, hasFailed } = view.value
  if (!printData(c, facts, names)) for (const line of lines) c.terminal.print(line)
  return { ok: true, value: hasFailed ? 1 : 0 }
}

function promotingView(
  { terminal }: CommandContext,
  hub: HubConnection,
  s: PipelineSnapshot,
  what: string,
): Result<StatusView, CliFailure> {
  const name = pipelineWord(what)
  if (name === undefined) {
    const promotion = promotionNamed(s, hub, promotionWord(what)!)
    return promotion.ok ? ok(promotionView(terminal, s, promotion.value)) : promotion
  }
  const pipeline = pipelineNamed(s, hub, name)
  return pipeline.ok ? ok(pipelineView(terminal, s, pipeline.value)) : pipeline
}

function viewOf(c: CommandContext, hub: HubConnection, s: FleetSnapshot, what: string | undefined) {
  const { terminal } = c
  if (what === undefined) return ok(fleetView(terminal, s, hub.namespace))
  if (what.startsWith('cluster/')) {
    const name = what.slice('cluster/'.length)
    const names = clusterNames(s)
    if (names.includes(name)) return ok(clusterView(terminal, s, name))
    return missing('cluster', name, hub, nearest(name, names))
  }
  const name = what.replace(/^modules?\//i, '')
  const module = s.modules.find((m) => m.metadata.name === name)
  if (module) return ok(moduleView(terminal, s, module))
  const names = inOrder(s.modules).map((m) => m.metadata.name)
  return missing('Module', name, hub, nearest(name, names))
}

function missing(kind: string, name: string, hub: HubConnection, meant: string | undefined) {
  const suggestion = meant ? `did you mean ${meant}?` : 'to search another namespace, use -n'
  return failed('E_NOT_FOUND', { kind, name, namespace: hub.namespace, suggestion })
}
