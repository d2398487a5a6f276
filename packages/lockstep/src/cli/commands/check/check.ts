import {
  CHECK_TOPICS,
  type CheckFinding,
  checkFluxFiles,
  checkGroupFiles,
  checkHub,
  checkReport,
  checkTools,
  FAIL_ON,
} from '../../kit/check/index.ts'
import { type Command, type CommandContext, type CommandResult, type Flags, failed } from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { nearest, plural, textTable } from '../../kit/terminal/index.ts'

/** Flags that say something to these only. */
const FLAGS_OF: Readonly<Record<string, readonly string[]>> = {
  flux: ['before', 'explain', 'additiveGate'],
  clustergroup: ['filename'],
}

/** `lockstep check`. */
export const checkCommand: Command = {
  name: 'check',
  summary: 'Check what the controller needs, or find traps in manifests',
  arguments: '[what] [paths...]',
  completes: ['checkTopic', 'file'],
  detail: [
    'Without arguments: programs, the hub, our kinds. Looks from where it runs: for a controller elsewhere, run it there. Exit 1 when something is missing; what does not need it works all the same.',
    'check flux PATH...: reads Kustomizations, HelmReleases and sources in files, folders or - (standard input), without a cluster, and finds where a unit can act on a release before what it depends on is ready at it. Each finding has a rule (W1a to W6c, docs/reference/check-flux.md), a place and a fix. A comment "# lockstep:ignore W4b reason" on its line, or on the line above, silences it. Manifests are read as they are: for overlays and charts, pipe what kustomize build or helm template prints. Exit 1 when something is found, 2 when something could not be read; the rest is checked.',
    'check clustergroup FILE...: values files of a Validated Pattern from left to right, without a cluster and without Helm: what goes wrong with them where Argo CD delivers what the clustergroup chart makes. Traps of the chart (G1 to G8), sequencing that does not hold (S1 to S8), values that are refused or read by nothing (V1 to V3): docs/reference/check-clustergroup.md. Exit 1 when something is found, 2 when a file could not be read; then nothing is checked.',
  ].join('\n'),
  options: [
    {
      flags: '-f, --filename <path>',
      text: 'clustergroup: a values file, as PATH; may be repeated',
      completes: 'file',
      repeats: true,
    },
    {
      flags: '--before <state>',
      text: 'flux: also what a change does: a file or folder, or git:REVISION',
      completes: 'file',
    },
    {
      flags: '--fail-on <level>',
      text: 'flux, clustergroup: from which level on to exit 1',
      choices: FAIL_ON,
      default: 'error',
    },
    { flags: '--explain', text: 'flux: tell how each finding goes wrong, step by step' },
    { flags: '--additive-gate', text: 'flux: the controllers run with AdditiveCELDependencyCheck' },
  ],
  formats: ['table', 'json', 'yaml', 'name', 'sarif'],
  examples: [
    ['What is there, and what is not', 'check'],
    ['Races in manifests of Flux', 'check flux clusters/prod --explain'],
    ['What the last commit does on its way, for code scanning', 'check flux . --before git:HEAD~1 -o sarif'],
    ['Traps in values of a Validated Pattern', 'check clustergroup -f values-global.yaml -f values-hub.yaml'],
  ],
  async run(c, args, flags) {
    const [what, ...paths] = args
    if (what !== undefined && !CHECK_TOPICS.includes(what)) return noSuchTopic(what)
    const stray = strayFlag(what, flags, c.globals.output)
    if (stray !== undefined) return failed('E_USAGE', stray)
    if (what === 'flux') return checkFluxFiles(c, paths, flags)
    return what === undefined ? checkSurroundings(c) : checkGroupFiles(c, paths, flags)
  },
}

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
    return { problem: `--${name} is for check ${topic}`, suggestion: `For example lockstep ${suggestion}.` }
  }
  if (what !== undefined || output !== 'sarif') return undefined
  return {
    problem: '-o sarif is for check flux and check clustergroup',
    suggestion: 'For example lockstep check flux clusters/prod -o sarif.',
  }
}

/** A flag that may be repeated is a list, also where it is not given. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0)

function noSuchTopic(what: string): CommandResult {
  const meant = nearest(what, CHECK_TOPICS)
  return failed('E_USAGE', {
    problem: `there is nothing to check that is called "${what}"`,
    suggestion: meant
      ? `Did you mean lockstep check ${meant}?`
      : `lockstep check flux ${what} looks at manifests, lockstep check clustergroup ${what} at values.`,
  })
}

async function checkSurroundings(c: CommandContext): Promise<CommandResult> {
  const node: CheckFinding = { name: 'node', state: 'ok', found: c.host.node, for: 'everything' }
  const findings = [node, ...(await checkTools(c.env.processes)), ...(await checkHub(c))]
  const missing = findings.filter((f) => f.state === 'missing')
  const names = missing.map((f) => f.name)
  if (!printData(c, checkReport.fill({ findings }), names)) draw(c, findings)
  return { ok: true, value: missing.length > 0 ? 1 : 0 }
}

const MARKS = { ok: ['green', '✔'], missing: ['red', '✗'], unknown: ['yellow', '?'] } as const

function draw({ terminal: t }: CommandContext, findings: readonly CheckFinding[]): void {
  const rows = findings.map((f) => {
    const [color, glyph] = MARKS[f.state]
    return [t.paint(color, glyph), f.name, f.state === 'ok' ? '' : `for ${f.for}`, f.found]
  })
  for (const line of textTable(rows, { gap: 2, width: t.look.width })) t.print(line)
  const missing = findings.filter((f) => f.state === 'missing').length
  t.print(missing === 0 ? 'Nothing is missing.' : `${plural(missing, 'thing')} missing.`)
}
