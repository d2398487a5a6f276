/** Charts under real Helm, each that is there. */
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../../kube/src/env/env.ts'
import type { JsonObject, KubeObject } from '../../../../kube/src/object/index.ts'
import { buildOrder } from '../../decisions/order/buildorder.ts'
import {
  CHART,
  type ChartFiles,
  CRD,
  configMap,
  dependency,
  having,
  helms,
  job,
  made,
  node,
  OPTIONS,
  packed,
  SCHEMA,
  secretText,
  template,
  treeOf,
} from './helm.cases.ts'
import { templateChart } from './templatechart.ts'

if (helms.length === 0) process.stdout.write('skipped: helm is not there\n')

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
    const done = await template(helm, files, { values: ['b: {c: 4}', 'a: null\nb: {d: "5"}'] })
    expect(done).toMatchObject({
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

  it('puts parameters over values, as --set does: whole numbers are no doubles', async () => {
    const data = ['a', 'b', 'c'].map((v) => `${v}: "{{ kindOf .Values.${v} }} {{ .Values.${v} }}"`).join(', ')
    const set = (name: string, value: string, forceString = false) => ({ name, value, forceString })
    const given = { values: ['{a: 1, c: 1234567}'], parameters: [set('a', '1234567'), set('b', '2', true)] }
    expect(await made(helm, { 'templates/a.yaml': configMap('a', data) }, given)).toMatchObject({
      'ConfigMap a': { data: { a: 'int64 1234567', b: 'string 2', c: 'float64 1.234567e+06' } },
    })
  })

  it('takes dependencies that lie in charts/, as folders and as files', async () => {
    const sub = (name: string): Readonly<Record<string, string>> => ({
      'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.2.3\n`,
      'values.yaml': 'v: own\n',
      'templates/a.yaml': configMap(name, 'v: "{{ .Values.v }}", g: "{{ .Values.global.g }}"'),
    })
    const folder = Object.fromEntries(Object.entries(sub('cache')).map(([p, t]) => [`charts/any/${p}`, t]))
    const files = {
      'Chart.yaml': `${CHART}dependencies:\n${dependency('cache')}${dependency('db')}`,
      ...folder,
      'charts/db-1.2.3.tgz': packed('db', sub('db')),
    }
    expect(await made(helm, files, { values: ['global: {g: all}\ndb: {v: ours}'] })).toMatchObject({
      'ConfigMap cache': { data: { v: 'own', g: 'all' } },
      'ConfigMap db': { data: { v: 'ours', g: 'all' } },
    })
    const unsteady = {
      'charts/db-1.2.3.tgz': packed('db', {
        ...sub('db'),
        'templates/b.yaml': '{{ $ignored := .Capabilities }}',
        'templates/c.yaml': configMap('chance', 'v: "{{ randAlphaNum 9 }}"'),
      }),
    }
    const told = await template(helm, unsteady)
    expect(told).toMatchObject({
      error: {
        reason: 'NondeterministicRender',
        message: expect.stringMatching(
          /^helm: ConfigMap chance: data\.v differs .*charts\/db\/templates\/c\.yaml/,
        ),
      },
    })
    expect(await template(helm, unsteady, { allowRandom: true })).toMatchObject({
      value: {
        warnings: [
          expect.stringMatching(/^W_CAPABILITIES apps\/web\/charts\/db-1\.2\.3\.tgz\/templates\/b\.yaml:1: /),
        ],
      },
    })
  })

  it('names the line of each dependency that is not there', async () => {
    const two = `${CHART}dependencies:\n${dependency('redis', '17.x')}${dependency('db')}`
    expect(await made(helm, { 'Chart.yaml': two })).toBe(
      'ChartDependencyMissing: apps/web/Chart.yaml:5: redis 17.x is not in charts/; commit it (helm dependency build)\n' +
        'apps/web/Chart.yaml:6: db 1.x is not in charts/; commit it (helm dependency build)',
    )
    const old = {
      'Chart.yaml': 'apiVersion: v1\nname: shop\nversion: 1.0.0\n',
      'requirements.yaml': `dependencies:\n${dependency('redis')}`,
    }
    expect(await made(helm, old)).toBe(
      'ChartDependencyMissing: apps/web/requirements.yaml:2: redis 1.x is not in charts/; commit it (helm dependency build)',
    )
  })

  it('takes CRDs and hooks along, tests only if they are asked for', async () => {
    const files = {
      'crds/thing.yaml': CRD,
      'templates/a.yaml': configMap('a', ''),
      'templates/hook.yaml': job('migrate', 'pre-install'),
      'templates/tests/t.yaml': job('try', 'test'),
    }
    const objects = (await made(helm, files)) as Record<string, JsonObject>
    expect(Object.keys(objects).sort()).toEqual([
      'ConfigMap a',
      'CustomResourceDefinition things.example.com',
      'Job migrate',
    ])
    const order = buildOrder(Object.values(objects) as unknown as KubeObject[])
    expect(order.ok && order.value.nodes.filter((n) => n.type === 'hook')).toMatchObject([
      { object: { metadata: { name: 'migrate' } }, phase: 'PreSync' },
    ])
    const others = (await made(helm, files, { includeCRDs: false, tests: true })) as object
    expect(Object.keys(others).sort()).toEqual(['ConfigMap a', 'Job migrate', 'Job try'])
  })

  it('asks no cluster: what it can do is what the module says', async () => {
    const data = [
      'kube: "{{ .Capabilities.KubeVersion.Version }}"',
      'has: "{{ .Capabilities.APIVersions.Has "example.com/v1/Thing" }}"',
      'found: "{{ lookup "v1" "Secret" "" "" | len }}"',
      'install: "{{ .Release.IsInstall }} {{ .Release.Revision }}"',
    ]
    const files = { 'templates/a.yaml': configMap('a', data.join(', ')) }
    const given = { kubeVersion: '1.33.2', apiVersions: ['example.com/v1/Thing'] }
    expect(await made(helm, files, given)).toMatchObject({
      'ConfigMap a': { data: { kube: 'v1.33.2', has: 'true', found: '0', install: 'true 1' } },
    })
    const done = await template(helm, files)
    expect(done).toMatchObject({
      value: {
        manifests: [{ object: { data: { kube: 'v1.30.0', has: 'false' } } }],
        warnings: [
          expect.stringMatching(/^W_CAPABILITIES apps\/web\/templates\/a\.yaml:4: /),
          expect.stringMatching(/^W_CAPABILITIES apps\/web\/templates\/a\.yaml:4: /),
        ],
      },
    })
    expect(await made(helm, { 'Chart.yaml': `${CHART}kubeVersion: ">=1.31"\n` })).toBe(
      'RenderFailed: helm: chart requires kubeVersion: >=1.31 which is incompatible with Kubernetes v1.30.0; set spec.render.helm.kubeVersion',
    )
  })

  it('refuses what differs from run to run, unless that is allowed', async () => {
    const files = {
      'templates/secret.yaml':
        'apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: app}\nstringData: {user: u, password: "{{ randAlphaNum 20 }}"}\n',
    }
    expect(await made(helm, files)).toBe(
      'NondeterministicRender: helm: Secret app/db: stringData.password differs between two runs (apps/web/templates/secret.yaml)',
    )
    expect(await made(helm, files, { allowRandom: true })).toMatchObject({
      'Secret db': { data: { user: 'dQ==' } },
    })
    const same = { 'templates/a.yaml': configMap('a', 'len: "{{ len (randAlphaNum 20) }}"') }
    expect(await made(helm, same)).toMatchObject({ 'ConfigMap a': { data: { len: '20' } } })
  })

  it.each<[string, ChartFiles, RegExp]>([
    [
      'a call of fail',
      { 'templates/bad.yaml': '\n  {{ fail "boom" }}' },
      /^RenderFailed: helm: apps\/web\/templates\/bad\.yaml:2:5: boom$/,
    ],
    [
      'a value that is not there',
      { 'templates/bad.yaml': '{{ .Values.a.b }}' },
      /^RenderFailed: helm: apps\/web\/templates\/bad\.yaml:1:10: executing "apps\/web\/templates\/bad\.yaml" at <\.Values\.a\.b>: nil pointer evaluating interface \{\}\.b$/,
    ],
    [
      'a function that is none',
      { 'templates/bad.yaml': 'a\n{{ nope }}' },
      /^RenderFailed: helm: apps\/web\/templates\/bad\.yaml:2: function "nope" not defined$/,
    ],
    [
      'no YAML',
      { 'templates/bad.yaml': 'a: {{ "b: c" }}' },
      /^RenderFailed: helm: apps\/web\/templates\/bad\.yaml: output is invalid YAML: error converting YAML to JSON: yaml: /,
    ],
    [
      'a key twice',
      { 'templates/bad.yaml': 'kind: A\nkind: B' },
      /^RenderFailed: output of apps\/web\/templates\/bad\.yaml:3:1: /,
    ],
    [
      'no object',
      { 'templates/bad.yaml': 'a: b' },
      /^InvalidObject: output of apps\/web\/templates\/bad\.yaml doc 1: apiVersion is missing$/,
    ],
    [
      'values of the chart',
      { 'values.yaml': 'a: [' },
      /^RenderFailed: helm: cannot load apps\/web\/values\.yaml: .*yaml: line 1/,
    ],
    [
      'a library',
      { 'Chart.yaml': `${CHART}type: library\n` },
      /^RenderFailed: helm: library charts are not installable$/,
    ],
  ])('says where it fails: %s', async (_, files, text) => {
    expect(await made(helm, files)).toMatch(text)
  })

  it('names files of values, and what their schema says', async () => {
    expect(await made(helm, {}, { values: ['- a'] })).toMatch(
      /^RenderFailed: helm: failed to parse values 0: /,
    )
    const files = {
      'values.schema.json': SCHEMA,
      'templates/a.yaml': configMap('a', 'r: "{{ .Values.replicas }}"'),
    }
    const values = ['replicas: many']
    expect(await made(helm, files, { values })).toMatch(
      /^RenderFailed: helm: values don't meet the specifications of the schema\(s\) in the following chart\(s\): shop: - .*replicas/,
    )
    expect(await made(helm, files, { values, skipSchemaValidation: true })).toMatchObject({
      'ConfigMap a': { data: { r: 'many' } },
    })
  })

  it('shows nothing of a Secret, wherever it comes out', async () => {
    const values = [secretText('password: hunter2')]
    const bad = {
      fail: { 'templates/bad.yaml': '{{ fail .Values.password }}' },
      path: { 'templates/bad.yaml': '{{ fail (printf "/%s/x.yaml:1:2" .Values.password) }}' },
      hash: { 'templates/bad.yaml': '{{ fail (.Values.password | b64enc) }}' },
      yaml: { 'templates/bad.yaml': 'a: b: {{ .Values.password }}' },
      text: { 'templates/bad.yaml': '{{ .Values.password }}' },
      name: { 'templates/bad.yaml': configMap('"{{ .Values.password }} x"', '') },
      schema: { 'values.schema.json': '{"properties": {"password": {"enum": ["other"]}}}' },
    }
    for (const [name, files] of Object.entries<ChartFiles>(bad)) {
      const text = await made(helm, files, { values })
      expect(text, name).toMatch(/^(RenderFailed|InvalidObject): /)
      expect(text, name).not.toMatch(/hunter2|aHVudGVyMg/)
      if (name !== 'schema') expect(text).toContain('apps/web/templates/bad.yaml')
    }
    expect(await made(helm, bad.fail, { values })).toBe(
      'RenderFailed: helm: apps/web/templates/bad.yaml:1:3: failed; the output of helm is hidden, because values are from Secrets',
    )
    expect(await made(helm, bad.schema, { values })).toMatch(/: values do not match values\.schema\.json; /)
  })

  it('finds no chart where there is none', async () => {
    const done = await templateChart(having(helm), {
      tree: treeOf({ 'apps/a.yaml': 'a: b' }),
      directory: 'apps',
      values: [],
      options: OPTIONS,
    })
    expect(done).toMatchObject({
      error: {
        reason: 'PathMissing',
        message: 'helm: no apps/Chart.yaml; the path must be the directory of a chart',
      },
    })
  })

  it('comes with nothing of ours, and leaves nothing', async () => {
    const seen: { env: Readonly<Record<string, string>>; cwd: string }[] = []
    const env = having(helm)
    const spy: Env = {
      ...env,
      processes: {
        ...env.processes,
        run: (program, args, o) => {
          seen.push({ env: o.env, cwd: o.cwd! })
          return env.processes.run(program, args, o)
        },
      },
    }
    const chart = { 'Chart.yaml': CHART, 'templates/a.yaml': configMap('a', '') }
    await templateChart(spy, { tree: treeOf(chart), directory: '', values: [], options: OPTIONS })
    expect(seen).toHaveLength(1)
    const [{ env: given, cwd }] = seen as [(typeof seen)[number]]
    expect(given.KUBECONFIG).toBe('/dev/null')
    const places = ['PATH', 'HOME', 'TMPDIR', 'HELM_PLUGINS', 'HELM_CACHE_HOME', 'HELM_CONFIG_HOME']
    for (const key of [...places, 'HELM_DATA_HOME']) expect(given[key]?.startsWith(cwd), key).toBe(true)
    expect((await node.files.list(cwd)).ok).toBe(false)
  })
})

describe.skipIf(helms.length < 2)('all that are there', () => {
  it('make the same of the same chart', async () => {
    const files = {
      'values.yaml':
        'big: 1000000\nfloat: 1.10\nlist: [a, b]\nmap: {z: 1, a: {b: c}}\ntext: |\n  one\n  two\n',
      'crds/thing.yaml': CRD,
      'templates/_helpers.tpl':
        '{{- define "labels" }}app: {{ .Chart.Name }}\nchart: {{ .Chart.Name }}-{{ .Chart.Version }}{{ end }}',
      'templates/a.yaml': `${configMap('a', 'x: "1"')}---\n\n---\n# nothing\n---\n${configMap('b', 'y: "2"')}`,
      'templates/c.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  labels: {{- include "labels" . | nindent 4 }}\ndata:\n  list: {{ .Values.list | join "," | quote }}\n  map: {{ .Values.map | toYaml | quote }}\n  text: {{ .Values.text | toJson }}\n  sum: {{ .Values.big | int | quote }}\n  hash: {{ toJson .Values.map | sha256sum }}\n',
      'templates/hook.yaml': job('migrate', 'pre-install,pre-upgrade'),
    }
    const [first, ...others] = await Promise.all(
      helms.map((helm) => made(helm, files, { values: ['list: [c]'] })),
    )
    expect(Object.keys(first as object)).toHaveLength(5)
    for (const other of others) expect(other).toEqual(first)
  })
})
