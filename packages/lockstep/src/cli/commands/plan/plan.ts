import type { Result } from '@lockstep/kube/env'
import { maxRemovalOf, maxRemovalOption } from '../../kit/controllerflags/index.ts'
import { checkHistory, filenameOption } from '../../kit/documents/index.ts'
import { planOfFleet } from '../../kit/fleetplan/index.ts'
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
import { planOnCluster, showUnits } from './planoncluster.ts'

/** `lockstep plan`. */
export const planCommand: Command = {
  name: 'plan',
  summary: 'Preview a change',
  detail:
    'Simulates the rollout of the files on a copy of the fleet in which each step succeeds at once, with the decisions of the controller. Lists which units start when, and their dependencies, approvals and windows. Lists objects that change hands. Reads the hub only; nothing is written. Without -f, previews the state of the hub. Exit 1 when some units cannot start. With --cluster, compares objects with those on that cluster by dry runs; exit 1 when the cluster refuses one.',
  options: [
    filenameOption,
    { flags: '--order', text: 'show the steps of the fleet; with --cluster, those of each Module' },
    { flags: '--expand', text: 'show the objects that each Module changes' },
    { ...maxRemovalOption, text: `${maxRemovalOption.text}, as for the controller` },
    { flags: '--cluster <name>', completes: 'cluster', text: 'show changes on this cluster only' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Show the steps and dependencies of a rollout', 'plan -f module.yaml -n platform'],
    ['Show which clusters start when', 'plan -f module.yaml --order -n platform'],
    ['Show changes on one cluster, in order', 'plan -f module.yaml --cluster prod-eu --order -n platform'],
    ['Print JSON for scripts', 'plan -f module.yaml --cluster prod-eu -o json -n platform'],
  ],
  async run(c, _args, flags) {
    const paths = listFlag(flags, 'filename')
    const cluster = textFlag(flags, 'cluster')
    const isOrdered = isSet(flags, 'order')
    if (cluster !== undefined && paths.length === 0)
      return failed('E_USAGE', {
        problem: 'plan --cluster requires -f: it compares files with objects on that cluster',
        suggestion: `to compare the published revision, use lockstep diff MODULE --cluster ${cluster}`,
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
    problem: `${titleOf(stranger)} is not in namespace ${namespace}`,
    suggestion: `to plan it, add -n ${stranger.metadata.namespace}`,
  })
}
