/** Real Helm, each that is there: LOCKSTEP_HELMS lists programs with a colon between, else that of the PATH. */
import { describe, expect, it } from 'vitest'
import type { Env } from '../../env/env.ts'
import { createNodeEnv } from '../../env/node/node.ts'
import { createSimEnv } from '../../env/sim/sim.ts'
import type { SourceText } from '../render.ts'
import type { Tree } from '../tree.ts'
import type { ChartOptions } from './question.ts'
import { templateChart } from './template.ts'

const node = createNodeEnv(createSimEnv('helm').log)
const found = await node.processes.find('helm')
const helms = process.env.LOCKSTEP_HELMS?.split(':').filter(Boolean) ?? (found === undefined ? [] : [found])
if (helms.length === 0) process.stdout.write('skipped: helm is not there\n')

/** As ours, with this program for helm. */
const having = (helm: string): Env => ({
  ...node,
  processes: { ...node.processes, find: async (p) => (p === 'helm' ? helm : undefined) },
})

const CHART = 'apiVersion: v2\nname: shop\nversion: 1.0.0\n'
const configMap = (name: string, data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {${data}}\n`

const treeOf = (files: Readonly<Record<string, string>>): Tree => ({
  files: Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
  warnings: [],
})

const OPTIONS: ChartOptions = {
  ...{ releaseName: 'web', namespace: 'prod', kubeVersion: '1.30.0', ignoreMissingValuesFiles: false },
  ...{ includeCRDs: true, tests: false, skipSchemaValidation: false, allowRandom: false },
}

type Files = Readonly<Record<string, string>>
interface Given extends Partial<ChartOptions> {
  readonly values?: readonly (string | SourceText)[]
}

/** A chart `shop` in `apps/web` of these files. */
function template(helm: string, files: Files, { values = [], ...options }: Given = {}) {
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

describe.each(helms)('%s', (helm) => {
  it('makes objects of templates and values, and knows of which file', async () => {
    const files = {
      'values.yaml': 'a: 1\nb: {c: 2, d: 3}\n',
      'templates/_helpers.tpl': '{{- define "name" }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}',
      'templates/a.yaml': configMap(
        '{{ include "name" . }}',
        'a: "{{ .Values.a }}", c: "{{ .Values.b.c }}", d: "{{ .Values.b.d }}", ns: {{ .Release.Namespace }}',
      ),
      'templates/NOTES.txt': 'Thank you.',
    }
    const made = await template(helm, files, { values: ['b: {c: 4}', 'a: null\nb: {d: "5"}'] })
    expect(made).toMatchObject({
      ok: true,
      value: {
        manifests: [
          {
            object: { metadata: { name: 'web-shop' }, data: { a: '', c: '4', d: '5', ns: 'prod' } },
            origin: 'apps/web/templates/a.yaml',
          },
        ],
        warnings: [],
      },
    })
  })
})
