/** Charts for each installed Helm: LOCKSTEP_HELMS lists programs with a colon between, else that of the PATH. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env } from '../../../../kube/src/env/env.ts'
import { createNodeEnv } from '../../../../kube/src/env/node/nodeenv.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { JsonObject } from '../../../../kube/src/object/index.ts'
import { normalize } from '../intake/normalize.ts'
import type { ManifestText } from '../intake/renderplain.ts'
import { faultLines } from '../intake/sourcefailure.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { templateChart } from './templatechart.ts'
import type { TemplateOptions } from './templaterequest.ts'

export const node = createNodeEnv(createSimEnv('helm').log)
const found = await node.processes.find('helm')
export const helms =
  process.env.LOCKSTEP_HELMS?.split(':').filter(Boolean) ?? (found === undefined ? [] : [found])

/** As ours, with this program for helm. */
export const having = (helm: string): Env => ({
  ...node,
  processes: { ...node.processes, find: async (p) => (p === 'helm' ? helm : undefined) },
})

export const CHART = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n'
export const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`

export type ChartFiles = Readonly<Record<string, string | Uint8Array>>

export const treeOf = (files: ChartFiles): SourceTree => ({
  files: Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  })),
  warnings: [],
})

export const OPTIONS: TemplateOptions = {
  releaseName: 'web',
  namespace: 'prod',
  kubeVersion: '1.30.0',
  ignoreMissingValuesFiles: false,
  includeCRDs: true,
  tests: false,
  skipSchemaValidation: false,
  allowRandom: false,
}

interface Given extends Partial<TemplateOptions> {
  readonly values?: readonly (string | ManifestText)[]
}

/** A chart `shop` in `apps/web` of these files. */
export function template(helm: string, files: ChartFiles, { values = [], ...options }: Given = {}) {
  const chart = { 'Chart.yaml': CHART, ...files }
  const tree = treeOf(Object.fromEntries(Object.entries(chart).map(([p, t]) => [`apps/web/${p}`, t])))
  const texts = values.map((v, i) => (typeof v === 'string' ? { origin: `values ${i}`, text: v } : v))
  return templateChart(having(helm), {
    tree,
    directory: 'apps/web',
    values: texts,
    options: { ...OPTIONS, ...options },
  })
}

/** Each object by `Kind name`, or `Reason: message`. */
export async function made(
  helm: string,
  files: ChartFiles,
  given?: Given,
): Promise<Record<string, JsonObject> | string> {
  const done = await template(helm, files, given)
  if (!done.ok) return `${done.error.reason}: ${faultLines(done.error)}`
  const objects = normalize(done.value.manifests)
  if (!objects.ok) return `${objects.error.reason}: ${faultLines(objects.error)}`
  return Object.fromEntries(
    objects.value.map((o) => [`${o.kind} ${o.metadata.name}`, o as unknown as JsonObject]),
  )
}

/** A chart as one file. */
export function packed(name: string, files: Readonly<Record<string, string>>): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-packed-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name, path)), { recursive: true })
      writeFileSync(join(dir, name, path), text)
    }
    execFileSync('tar', ['-czf', 'chart.tgz', name], { cwd: dir })
    return new Uint8Array(readFileSync(join(dir, 'chart.tgz')))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

export const dependency = (name: string, version = '1.x') =>
  `- {name: ${name}, version: ${version}, repository: "https://charts.example.com"}\n`
export const job = (name: string, hook: string) =>
  `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}, annotations: {helm.sh/hook: "${hook}"}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "check:1"}]}}}\n`
export const CRD =
  'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com}\n'
export const SCHEMA = '{"properties": {"replicas": {"type": "integer"}}}'
export const secretText = (text: string): ManifestText => ({
  origin: 'Secret platform/db key values.yaml',
  text,
  secret: true,
})
