import type { Result } from '@lockstep/kube/env'
import { maxRemovalOf, maxRemovalOption } from '../../kit/controllerflags/index.ts'
import { checkHistory, filenameOption } from '../../kit/documents/index.ts'
import { type HubConnection, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  isSet,
  listFlag,
  textFlag,
} from '../../kit/index.ts'
import { type FileModules, readFileModules, titleOf } from '../../kit/render/index.ts'
import { drawFleetPlan } from './plandraw.ts'
import { planOfFleet } from './plannedfleet.ts'
import { planOnCluster, showUnits } from './planoncluster.ts'

/** `lockstep plan`. */
export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what modules in files would do, where and in which order',
  detail:
    'Plays the rollout of the files on a copy of the fleet in which everything succeeds at once, by the decisions of the controller itself: who starts when, what waits for what, for whom, or for which window. Reads the hub only; nothing is written. Without -f: what the hub holds already. Exit 1 when something would never start. With --cluster: compares the objects with what is there by dry runs on that cluster; exit 1 when it would refuse something.',
  options: [
    filenameOption,
    { flags: '--order', text: 'the steps of the fleet; with --cluster those of each module' },
    { flags: '--expand', text: 'the objects that each module changes' },
    { ...maxRemovalOption, text: `${maxRemovalOption.text}, as the controller has it` },
    { flags: '--cluster <name>', completes: 'cluster', text: 'what it would change on this cluster' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Where would these modules go, and what would wait for what?', 'plan -f module.yaml -n platform'],
    ['Which clusters start when?', 'plan -f module.yaml --order -n platform'],
    [
      'What would a module change on one cluster, and in which order?',
      'plan -f module.yaml --cluster prod-eu --order -n platform',
    ],
    ['The same, for scripts', 'plan -f module.yaml --cluster prod-eu -o json -n platform'],
  ],
  async run(c, _args, flags) {
    const paths = listFlag(flags, 'filename')
    const cluster = textFlag(flags, 'cluster')
    const isOrdered = isSet(flags, 'order')
    if (cluster !== undefined && paths.length === 0)
      return failed('E_USAGE', {
        problem: 'plan --cluster takes -f: it compares what files would publish with what is on that cluster',
        suggestion: `For what is published already: lockstep diff MODULE --cluster ${cluster}.`,
      })
    const written = paths.length === 0 ? NOTHING : await readFileModules(c, paths, cluster === undefined)
    if (!written.ok) return written
    const hub = await openHub(c)
    if (!hub.ok) return hub
    try {
      const stranger = ofAnother(hub.value, written.value)
      if (stranger) return stranger
      const known = await checkHistory(c, hub.value, written.value.documents)
      if (!known.ok) return known
      if (cluster === undefined) return await fleet(c, hub.value, written.value, flags)
      const plans = await planOnCluster(c, hub.value, cluster, written.value)
      return plans.ok ? showUnits(c, plans.value, isOrdered) : plans
    } finally {
      await hub.value.client.close()
    }
  },
}

const NOTHING: Result<FileModules, never> = {
  ok: true,
  value: { modules: [], others: [], beside: [], documents: [] },
}

async function fleet(
  c: CommandContext,
  hub: HubConnection,
  written: FileModules,
  flags: Parameters<Command['run']>[2],
): Promise<CommandResult> {
  const maxRemoval = maxRemovalOf(flags)
  if (!maxRemoval.ok) return maxRemoval
  const planned = await planOfFleet(c, hub, written, maxRemoval.value)
  if (!planned.ok) return planned
  const paths = listFlag(flags, 'filename')
  return drawFleetPlan(c, planned.value, {
    isOrdered: isSet(flags, 'order'),
    isExpanded: isSet(flags, 'expand'),
    paths,
    maxRemoval: maxRemoval.value,
  })
}

/** Clusters belong to a namespace; those of another one may have the same names. */
function ofAnother(
  { namespace }: HubConnection,
  { modules, others }: FileModules,
): { ok: false; error: CliFailure } | undefined {
  const stranger = [...modules, ...others].find((m) => m.metadata.namespace !== namespace)
  if (!stranger) return undefined
  return failed('E_USAGE', {
    problem: `${titleOf(stranger)} is not in namespace ${namespace}, whose clusters are meant`,
    suggestion: `Plan it with -n ${stranger.metadata.namespace}.`,
  })
}
