import {
  CHECK_TOPICS,
  type CheckFinding,
  checkFluxFiles,
  checkGroupFiles,
  checkHub,
  checkReport,
  checkTenancy,
  checkTools,
  drawFindings,
  FAIL_ON,
} from '../../kit/check/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  nodeEndOfLife,
} from '../../kit/index.ts'
import { nearest } from '../../kit/terminal/index.ts'

/** Flags that say something to these only. */
const FLAGS_OF: Readonly<Record<string, readonly string[]>> = {
  flux: ['before', 'explain', 'additiveGate'],
  clustergroup: ['filename'],
}

/** `lockstep check`. */
export const checkCommand: Command = {
  name: 'check',
  summary: 'Check requirements, accounts, Flux manifests, pattern values',
  arguments: '[what] [paths...]',
  completes: ['checkTopic', 'file'],
  detail: [
    'Without arguments: checks programs, the hub and definitions of Lockstep, and names units whose Inventory was lost. The check runs on this machine; for a controller on another machine, run it there. Exit 1 when a requirement is missing; features without it still work.',
    'check flux PATH...: reads Kustomizations, HelmReleases and sources from files, folders or - (standard input), without a cluster. Finds units that can apply a release before their dependencies are ready at it. Each finding has a rule (W1a to W6c, docs/reference/check-flux.md), a place and a fix. A comment "# lockstep:ignore W4b reason" on its line, or on the line above, silences it. Manifests are not rendered: for overlays and charts, pipe the output of kustomize build or helm template. Exit 1 when something is found, 2 when a file could not be read; other files are checked.',
    'check clustergroup FILE...: reads values files of a Validated Pattern, without a cluster and without Helm; later files override earlier ones. Finds problems of a deployment by Argo CD with the clustergroup chart: traps of the chart (G1 to G8), weak sequencing (S1 to S8), refused or unused values (V1 to V3). See docs/reference/check-clustergroup.md. Exit 1 when something is found, 2 when a file could not be read; then nothing is checked.',
    'check tenancy: checks the policies of the hub, the RoleBinding of the controller in each namespace with Modules, and the rights of the account of each Module; with -n, of one namespace. -o yaml prints every RoleBinding, account and Role that the Modules need. Exit 1 when one is missing.',
  ].join('\n'),
  options: [
    {
      flags: '-f, --filename <path>',
      text: 'clustergroup: values file, as PATH; may be repeated',
      completes: 'file',
      repeats: true,
    },
    {
      flags: '--before <state>',
      text: 'flux: compare with a file, a folder or git:REVISION',
      completes: 'file',
    },
    {
      flags: '--fail-on <level>',
      text: 'flux, clustergroup: lowest level for exit 1',
      choices: FAIL_ON,
      default: 'error',
    },
    { flags: '--explain', text: 'flux: explain each finding step by step' },
    { flags: '--additive-gate', text: 'flux: controllers run with AdditiveCELDependencyCheck' },
  ],
  formats: ['table', 'json', 'yaml', 'name', 'sarif'],
  examples: [
    ['Check requirements', 'check'],
    ['Find races in Flux manifests', 'check flux clusters/prod --explain'],
    [
      'Find traps in values of a Validated Pattern',
      'check clustergroup -f values-global.yaml -f values-hub.yaml',
    ],
    ['Print the accounts and Roles that all Modules need', 'check tenancy -o yaml'],
  ],
  async run(c, args, flags) {
    const [what, ...paths] = args
    if (what !== undefined && !CHECK_TOPICS.includes(what)) return noSuchTopic(what)
    const stray = strayFlag(what, flags, c.globals.output)
    if (stray !== undefined) return failed('E_USAGE', stray)
    if (what === 'flux') return checkFluxFiles(c, paths, flags)
    if (what === 'tenancy') return paths.length > 0 ? strayPath(paths) : checkTenancy(c)
    return what === undefined ? checkSurroundings(c) : checkGroupFiles(c, paths, flags)
  },
}

const strayPath = ([path]: readonly string[]): CommandResult =>
  failed('E_USAGE', {
    problem: `check tenancy takes no path: ${path}`,
    suggestion: 'it checks the hub; for a file use lockstep rights -f',
  })

/** A flag of another topic, if one is there. */
function strayFlag(
  what: string | undefined,
  flags: Flags,
  output: string,
): { problem: string; suggestion: string } | undefined {
  for (const [topic, names] of Object.entries(FLAGS_OF)) {
    if (topic === what || !names.some((f) => isGiven(flags[f]))) continue
    const suggestion = topic === 'flux' ? 'check flux clusters/prod' : 'check clustergroup -f values-hub.yaml'
    const name = names.find((f) => isGiven(flags[f]))!.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)
    return { problem: `--${name} requires check ${topic}`, suggestion: `for example: lockstep ${suggestion}` }
  }
  if ((what !== undefined && what !== 'tenancy') || output !== 'sarif') return undefined
  return {
    problem: '-o sarif requires check flux or check clustergroup',
    suggestion: 'for example: lockstep check flux clusters/prod -o sarif',
  }
}

/** A flag that may be repeated is a list, also where it is not given. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0)

function noSuchTopic(what: string): CommandResult {
  const meant = nearest(what, CHECK_TOPICS)
  return failed('E_USAGE', {
    problem: `unknown check "${what}"`,
    suggestion: meant
      ? `did you mean lockstep check ${meant}?`
      : `to check manifests, use lockstep check flux ${what}; to check values, lockstep check clustergroup ${what}`,
  })
}

async function checkSurroundings(c: CommandContext): Promise<CommandResult> {
  const node: CheckFinding = { name: 'node', state: 'ok', found: c.host.node, for: 'everything' }
  const findings = [node, ...(await checkTools(c.env.processes)), ...(await checkHub(c))]
  const missing = findings.filter((f) => f.state === 'missing')
  drawFindings(c, checkReport.fill({ findings }), findings)
  const ended = nodeEndOfLife(c.host.node, c.env.clock.now())
  if (ended !== undefined) c.terminal.talk(`warning: ${ended}`)
  return { ok: true, value: missing.length > 0 ? 1 : 0 }
}
