import { ok, type Result } from '@lockstep/kube/env'
import { HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import { filenameOption } from '../../kit/documents/index.ts'
import { hubOrNone, type OpenedHub, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  listFlag,
  textFlag,
} from '../../kit/index.ts'
import { readFileModules } from '../../kit/render/index.ts'
import {
  drawRights,
  fileModuleRights,
  grantManifests,
  hubModuleRights,
  isGranted,
  type ModuleRights,
  printGrants,
  type ReviewedRights,
  reviewRights,
  servedBy,
} from '../../kit/rights/index.ts'
import { inventoryOf, readSnapshot } from '../../kit/snapshot/index.ts'
import { moduleOf } from '../../kit/units/index.ts'
import { rightsOfCluster } from './rightsofcluster.ts'

/** `lockstep rights`. */
export const rightsCommand: Command = {
  name: 'rights',
  summary: 'Show rights that Modules need, and grant them',
  arguments: '[module]',
  completes: ['moduleTarget'],
  detail: [
    'Lists the rights of the ServiceAccount as which Lockstep reads and writes the hub for the Module: sources, credentials, bindings, gates, and with targets.hub all objects, hooks and dependencies. Reviews of the API server tell which of them the account holds.',
    '-o yaml prints a Role for each namespace, a ClusterRole for cluster-scoped objects, and their bindings. With -f, the Modules of files are rendered; without a hub nothing is reviewed. Exit 1 if the account lacks a right, or some rights are not known.',
    '--cluster lists the rights that the credential of a cluster needs for all Modules that select it. --apply adds the missing ones to its account, as the user of --cluster-context.',
  ].join('\n'),
  options: [
    filenameOption,
    { flags: '--cluster <name>', completes: 'cluster', text: 'rights on this cluster' },
    {
      flags: '--cluster-context <name>',
      completes: 'context',
      text: 'context of the kubeconfig for the cluster, with the rights of an administrator there',
    },
    { flags: '--apply', text: 'grant the missing rights on the cluster' },
  ],
  formats: ['table', 'yaml', 'json', 'name'],
  examples: [
    ['Show rights of a Module, and which of them are missing', 'rights monitoring -n platform'],
    ['Print the Role for a file before you apply it', 'rights -f module.yaml -o yaml'],
    ['Grant the missing rights', 'rights monitoring -n platform -o yaml | kubectl apply -f -'],
    [
      'Grant the missing rights on a cluster',
      'rights --cluster prod-eu --cluster-context prod-eu --apply -n platform',
    ],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    const cluster = textFlag(flags, 'cluster')
    if (cluster !== undefined && paths.length === 0 && args.length === 0)
      return rightsOfCluster(c, cluster, flags)
    const idle = ['cluster', 'clusterContext', 'apply'].find((f) => flags[f] !== undefined)
    if (idle !== undefined)
      return failed('E_USAGE', {
        problem:
          '--cluster, --cluster-context and --apply are for the rights on one cluster, without MODULE and -f',
        suggestion: 'for example: lockstep rights --cluster prod-eu',
      })
    if ((paths.length === 0) === (args[0] === undefined))
      return failed('E_USAGE', {
        problem: 'rights requires MODULE, -f or --cluster',
        suggestion: 'for example: lockstep rights web, or lockstep rights -f module.yaml',
      })
    const opened = await (paths.length > 0 ? hubOrNone(c) : openHub(c))
    if (!opened.ok) return opened
    const hub = opened.value
    try {
      const found = await (hub && args[0] !== undefined ? ofHub(c, hub, args[0]) : ofFiles(c, hub, paths))
      if (c.signal.aborted) return { ok: true, value: INTERRUPTED }
      if (!found.ok) return found
      return await show(c, hub, found.value)
    } finally {
      await hub?.client.close()
    }
  },
}

async function ofHub(
  c: CommandContext,
  hub: OpenedHub,
  word: string,
): Promise<Result<ModuleRights[], CliFailure>> {
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const module = moduleOf(seen.value, hub, word)
  if (!module.ok) return module
  const served = await servedBy(c, hub)
  if (!served.ok) return served
  const found = await hubModuleRights(c, module.value, {
    hub,
    inventory: inventoryOf(seen.value, module.value.metadata.name, HUB_CLUSTER),
    served: served.value,
  })
  return found.ok ? ok([found.value]) : found
}

async function ofFiles(
  c: CommandContext,
  hub: OpenedHub | undefined,
  paths: readonly string[],
): Promise<Result<ModuleRights[], CliFailure>> {
  const written = await readFileModules(c, paths)
  if (!written.ok) return written
  const served = await servedBy(c, hub)
  if (!served.ok) return served
  const { modules, beside } = written.value
  return fileModuleRights(c, modules, beside, { hub, served: served.value })
}

async function show(
  c: CommandContext,
  hub: OpenedHub | undefined,
  modules: readonly ModuleRights[],
): Promise<CommandResult> {
  const reviewed = await reviewRights(c, hub, modules)
  if (!reviewed.ok) return reviewed
  const all = reviewed.value
  if (c.globals.output === 'table') drawAll(c, all)
  else {
    const objects = await grantManifests(c, hub, all)
    if (!objects.ok) return objects
    printGrants(c, all, objects.value)
  }
  return ok(all.every(isGranted) ? 0 : 1)
}

function drawAll({ terminal: t }: CommandContext, all: readonly ReviewedRights[]): void {
  for (const [i, m] of all.entries()) {
    if (i > 0) t.print('')
    for (const line of drawRights(t, m)) t.print(line)
  }
}
