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

/** `lockstep rights`. */
export const rightsCommand: Command = {
  name: 'rights',
  summary: 'Show rights that a Module needs on the hub',
  arguments: '[module]',
  completes: ['moduleTarget'],
  detail: [
    'Lists the rights of the ServiceAccount as which Lockstep reads and writes the hub for the Module: sources, credentials, bindings, gates, and with targets.hub all objects, hooks and dependencies. Reviews of the API server tell which of them the account holds.',
    '-o yaml prints a Role for each namespace, a ClusterRole for cluster-scoped objects, and their bindings. With -f, the Modules of files are rendered; without a hub nothing is reviewed. Exit 1 if the account lacks a right, or some rights are not known.',
  ].join('\n'),
  options: [filenameOption],
  formats: ['table', 'yaml', 'json', 'name'],
  examples: [
    ['Show rights of a Module, and which of them are missing', 'rights monitoring -n platform'],
    ['Print the Role for a file before you apply it', 'rights -f module.yaml -o yaml'],
    ['Grant the missing rights', 'rights monitoring -n platform -o yaml | kubectl apply -f -'],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    if ((paths.length === 0) === (args[0] === undefined))
      return failed('E_USAGE', {
        problem: 'rights requires MODULE or -f',
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
