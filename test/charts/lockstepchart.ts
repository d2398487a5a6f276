/** The Helm chart of Lockstep, rendered by a real Helm. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { loadAll } from 'js-yaml'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'

export const CHART = 'charts/lockstep'
export const REPOSITORY = 'registry.example.com/lockstep'
/** The chart needs a newer Kubernetes than old versions of Helm assume. */
const KUBERNETES = '1.36.0'

/** The PATH, with the programs of the real API first. */
export const helmPath = [process.env.KUBEBUILDER_ASSETS, process.env.PATH].filter(Boolean).join(delimiter)
const env = { ...process.env, PATH: helmPath }

export const hasHelm = spawnSync('helm', ['version', '--short'], { env }).status === 0
if (!hasHelm) console.warn('helm is neither on the PATH nor in KUBEBUILDER_ASSETS: the chart is not tested')

export interface ChartRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command of Helm on the chart, with these values. */
export function helm(
  args: readonly string[],
  values: object,
  namespace = 'lockstep-system',
  more: readonly string[] = ['--kube-version', KUBERNETES],
): ChartRun {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-values-'))
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  try {
    const line = [...args, ...more, '-n', namespace, '-f', file]
    const { status, stdout, stderr } = spawnSync('helm', line, { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
    return { code: status ?? -1, out: stdout, err: stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const lint = (values: object): ChartRun => helm(['lint', CHART, '--strict'], values)
export const template = (values: object, namespace = 'lockstep-system'): ChartRun =>
  helm(['template', 'lockstep', CHART], values, namespace)

/** The objects that the chart renders. */
export function rendered(values: object): KubeObject[] {
  const { code, out, err } = template(values)
  if (code !== 0) throw new Error(err)
  return loadAll(out).filter((o) => o !== null && o !== undefined) as KubeObject[]
}

/** Objects that `lockstep install` prints with these arguments. */
export const installed = (args: readonly string[]): KubeObject[] =>
  loadAll(
    execFileSync(process.execPath, ['packages/lockstep/bin/lockstep.js', 'install', ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    }),
  ) as KubeObject[]
