/**
 * Runs `helm template` on files of ours: in a private directory, with no PATH to start anything from, no plugins, no
 * repositories, no way out over HTTP and no kubeconfig.
 */
import { type Env, err, ok, type ProcessExit, type ProcessFailure, type Result } from '@lockstep/kube/env'
import type { ManifestText, SourceManifest } from '../intake/renderplain.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree, TreeFile } from '../intake/sourcetree.ts'
import { capabilityWarnings, mayDiffer } from './capabilitywarnings.ts'
import { type ChartNames, chartNames, inDirectory } from './chartnames.ts'
import { helmFailureOf } from './helmfailure.ts'
import { manifestsOfHelmOutput } from './helmoutput.ts'
import { isPackedChart, withPackedCharts } from './packedcharts.ts'
import { parameterFlag } from './parameterflag.ts'
import { runDifference } from './rundifference.ts'
import { isSchema, schemaProblem } from './schemaproblem.ts'
import type { TemplateOptions, TemplateResult } from './templaterequest.ts'

const MAX_OUTPUT = 64 * 1024 * 1024
const MEMORY = { bytes: 2 * 1024 ** 3 }
const TIMEOUT_MS = 60_000
/** The discard port of this machine: nobody listens. */
const CLOSED = 'http://127.0.0.1:9'

/** A chart and its values, as they are. */
export interface HelmChart {
  readonly tree: SourceTree
  /** Of the chart in the tree; '' is the root. */
  readonly directory: string
  /** From left to right: each a YAML document. */
  readonly values: readonly ManifestText[]
  readonly options: TemplateOptions
}

/** Twice where the results may differ, which is refused unless it is allowed. */
export async function templateChart(
  env: Env,
  chart: HelmChart,
): Promise<Result<TemplateResult, SourceFailure>> {
  const helm = await env.processes.find('helm')
  if (helm === undefined) return err(fault('ToolMissing', { tool: 'helm', field: 'spec.render.helm' }))
  const names = chartNames(chart.tree, chart.directory)
  if (!names) {
    const path = inDirectory(chart.directory, 'Chart.yaml')
    return err(fault('PathMissing', { place: 'helm', because: 'Chart', path }))
  }
  const files = withPackedCharts(chart.tree)
  if (!files.ok) return files
  const problem = chart.options.skipSchemaValidation ? undefined : schemaProblem(files.value)
  if (problem) return err(problem)
  const home = await env.files.tempDir('lockstep-helm-')
  if (!home.ok) return err(toolFault(home.error.message, true))
  try {
    const written = await writeAll(env, home.value, chart)
    if (!written.ok) return written
    const run = () => runHelm(env, helm, home.value, chart, names)
    return await steady(chart, files.value, run)
  } finally {
    await env.files.removeTree(home.value)
  }
}

/** `files`: also those of packed charts. */
async function steady(
  chart: HelmChart,
  files: readonly TreeFile[],
  run: () => Promise<Result<SourceManifest[], SourceFailure>>,
): Promise<Result<TemplateResult, SourceFailure>> {
  const { tree, values, options } = chart
  const first = await run()
  if (!first.ok) return first
  const texts = [...values, ...(options.parameters ?? [])].map((v) => ('text' in v ? v.text : v.value))
  if (!options.allowRandom && mayDiffer(files, texts)) {
    const second = await run()
    if (!second.ok) return second
    const difference = runDifference(first.value, second.value)
    if (difference !== undefined) return err(fault('NondeterministicRender', difference))
  }
  const warnings = [...tree.warnings, ...capabilityWarnings(files, options.kubeVersion)]
  return ok({ manifests: first.value, warnings })
}

const isSecret = ({ values }: HelmChart): boolean => values.some((v) => v.secret)

async function runHelm(
  env: Env,
  helm: string,
  home: string,
  chart: HelmChart,
  names: ChartNames,
): Promise<Result<SourceManifest[], SourceFailure>> {
  const done = await env.processes.run(helm, argumentsOf(chart, home), {
    env: surroundings(home),
    cwd: home,
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
    memory: MEMORY,
  })
  if (!done.ok) return err(brokenOff(done))
  if (done.value.code === 0)
    return manifestsOfHelmOutput(new TextDecoder().decode(done.value.stdout), names, isSecret(chart))
  const { stderr } = done.value
  const files = chart.values.map((v, i) => [valuesAt(home, i), v.origin] as const)
  const { tree, directory } = chart
  return err(
    helmFailureOf({
      stderr,
      files: [...files, [`${home}/chart`, directory === '' ? '.' : directory]],
      tree,
      directory,
      names,
      secret: isSecret(chart),
    }),
  )
}

/** All that Helm depends on is said: nothing is left to its defaults, which differ between its releases. */
export function argumentsOf({ tree, options, values }: Omit<HelmChart, 'directory'>, home: string): string[] {
  const { releaseName, namespace, kubeVersion, apiVersions = [], parameters = [] } = options
  // Where the schemas are that are not left out already.
  const skipsSchemas = options.skipSchemaValidation && tree.files.some(isPackedChart)
  return [
    'template',
    releaseName,
    `${home}/chart`,
    `--namespace=${namespace}`,
    `--kube-version=${kubeVersion}`,
    ...apiVersions.map((v) => `--api-versions=${v}`),
    ...(options.includeCRDs ? ['--include-crds'] : []),
    ...(options.tests ? [] : ['--skip-tests']),
    ...(skipsSchemas ? ['--skip-schema-validation'] : []),
    ...values.map((_, i) => `--values=${valuesAt(home, i)}`),
    ...parameters.map(parameterFlag),
  ]
}

const valuesAt = (home: string, i: number): string => `${home}/values/${i}.yaml`

const surroundings = (home: string): Record<string, string> => ({
  PATH: `${home}/nothing`,
  HOME: `${home}/home`,
  TMPDIR: home,
  KUBECONFIG: '/dev/null',
  HTTP_PROXY: CLOSED,
  HTTPS_PROXY: CLOSED,
  HELM_CACHE_HOME: `${home}/home/cache`,
  HELM_CONFIG_HOME: `${home}/home/config`,
  HELM_DATA_HOME: `${home}/home/data`,
  HELM_PLUGINS: `${home}/nothing`,
  HELM_NO_PLUGINS: '1',
})

async function writeAll(env: Env, home: string, chart: HelmChart): Promise<Result<void, SourceFailure>> {
  const { tree, directory, values, options } = chart
  const root = inDirectory(directory, '')
  const below = tree.files.filter((f) => f.path.startsWith(root))
  const files: (readonly [string, string | Uint8Array])[] = [
    // Not all releases of Helm can be told to pass over schemas. No template can read them, so that nobody misses them.
    ...below
      .filter((f) => !(options.skipSchemaValidation && isSchema(f.path)))
      .map((f) => [`${home}/chart/${f.path.slice(root.length)}`, f.bytes] as const),
    ...values.map((v, i) => [valuesAt(home, i), v.text] as const),
  ]
  for (const [path, content] of files) {
    const done = await env.files.writeAtomic(path, content, 0o600)
    if (!done.ok) return err(toolFault(done.error.message, true))
  }
  return ok(undefined)
}

const toolFault = (error: string, transient: boolean): SourceFailure =>
  fault('RenderFailed', { place: 'helm', because: 'Tool', error }, transient)

function brokenOff({ error }: Extract<Result<ProcessExit, ProcessFailure>, { ok: false }>): SourceFailure {
  switch (error.kind) {
    case 'TimedOut':
      return fault('RenderFailed', { place: 'helm', because: 'Timeout', seconds: error.ms / 1000 })
    case 'TooMuchMemory':
      return fault('SourceTooLarge', { place: 'helm', limit: `${error.limit / 1048576} MiB of memory` })
    case 'TooMuchOutput':
      return fault('BundleTooLarge', { place: 'helm', limit: `${error.limit / 1048576} MiB` })
    case 'Crashed':
      return toolFault(error.detail, true)
    default:
      return toolFault(error.kind, true)
  }
}
