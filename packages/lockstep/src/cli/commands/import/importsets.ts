/** `lockstep import crs`: a Module for each ClusterResourceSet of the hub that is named. */

import { encodeYaml, type JsonValue, parseApiVersion } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../../api/kinds/index.ts'
import {
  type AddonsVersion,
  conditionIn,
  importModule,
  MANAGED,
  type ModuleOfSet,
} from '../../../decisions/resourceset/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { selectSets, setImportReport } from '../../kit/sets/index.ts'
import { plural } from '../../kit/terminal/index.ts'
import { writeNewFiles } from './newfiles.ts'

interface ImportedSets {
  readonly set: ClusterResourceSet
  readonly module?: ModuleOfSet
  readonly problems: readonly string[]
}

/** `args`: the word `crs`, then names. */
export async function importSets(
  c: CommandContext,
  args: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const meant = await selectSets(c, args, flags)
  if (!meant.ok) return meant
  const made = meant.value.sets.map((set): ImportedSets => {
    const found = importModule(set)
    return found.ok ? { set, module: found.value, problems: [] } : { set, problems: found.error }
  })
  const { isOwnDefinition, kinds } = meant.value
  const isOurs = ({ status }: ClusterResourceSet): boolean =>
    isOwnDefinition || conditionIn(kinds.set.version as AddonsVersion, status, MANAGED)?.status === 'True'
  const isRefused = made.some((m) => m.problems.length > 0)
  const files = made.flatMap((m) =>
    m.module ? [{ name: fileOf(m.module), text: textOf(m.set, isOurs(m.set), m.module) }] : [],
  )
  const out = textFlag(flags, 'out')
  if (out !== undefined && !isRefused) {
    const wrote = await writeNewFiles(c, out, files, isSet(flags, 'force'))
    if (!wrote.ok) return wrote
  }
  const modules = made.flatMap((m) => (m.module ? [m.module] : []))
  const report = setImportReport.fill({
    modules,
    refused: made
      .filter((m) => m.problems.length > 0)
      .map(({ set: { metadata }, problems }) => ({
        name: metadata.name ?? '',
        namespace: metadata.namespace ?? '',
        problems,
      })),
    ...(out !== undefined && !isRefused ? { out } : {}),
  })
  const targets = modules.map(({ apiVersion, kind, metadata }) =>
    nameOf({ ...parseApiVersion(apiVersion), kind }, metadata.name),
  )
  if (!printData(c, report, targets)) draw(c, made, { isRefused, out, files })
  return { ok: true, value: isRefused ? 1 : 0 }
}

interface DrawnSets {
  readonly isRefused: boolean
  readonly out: string | undefined
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** Without --out the Modules alone are on standard output. */
function draw(
  { terminal: t }: CommandContext,
  made: readonly ImportedSets[],
  { isRefused, out, files }: DrawnSets,
): void {
  for (const { set, problems } of made)
    for (const problem of problems) t.talk(`ClusterResourceSet ${nameText(set)}: ${problem}`)
  if (isRefused) {
    t.talk('Nothing was written: correct the settings above first.')
    return
  }
  if (out === undefined) {
    t.data(files.map((f) => f.text).join('---\n'))
    return
  }
  t.print(`${plural(files.length, 'Module')} written to ${out}: ${files.map((f) => f.name).join(', ')}`)
}

const nameText = ({ metadata: { namespace = '', name = '' } }: ClusterResourceSet): string =>
  `${namespace}/${name}`

const fileOf = ({ metadata }: ModuleOfSet): string => `${metadata.name}.yaml`

/** Whoever deletes a set of Cluster API's loses its sources, which the Module reads: the garbage collector takes them (#3399). */
function textOf(set: ClusterResourceSet, isOurs: boolean, module: ModuleOfSet): string {
  const { namespace = '', name = '' } = set.metadata
  const head = `# ClusterResourceSet ${nameText(set)}: `
  const advice = isOurs
    ? 'delete it once this Module is ready; its sources and objects stay.\n'
    : `Cluster API's, which deletes its sources with it, and this Module reads them.
# Take it over first: lockstep takeover crs ${name} -n ${namespace} --yes
# Delete it once this Module is ready; without a takeover only with kubectl delete --cascade=orphan.
`
  return `${head}${advice}${encodeYaml(module as unknown as JsonValue)}`
}
