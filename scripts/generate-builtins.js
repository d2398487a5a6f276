// Writes packages/apiserver/src/schema/builtin.generated.json from the discovery and OpenAPI documents and Go sources of Kubernetes. Run by a
// developer when Kubernetes moves on (needs `go` and its module proxy): node scripts/generate-builtins.js v1.36.4
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { definitionsFrom } from './generate-builtins/builtindefinitions.js'
import { nullFields } from './generate-builtins/nulls.js'
import { resourcesFrom } from './generate-builtins/resources.js'

/** Groups of a default server; `resource.k8s.io` and kinds that are not GA are omitted. */
const GROUPS = [
  'api__v1',
  'apis__admissionregistration.k8s.io__v1',
  'apis__apiextensions.k8s.io__v1',
  'apis__apiregistration.k8s.io__v1',
  'apis__apps__v1',
  'apis__authentication.k8s.io__v1',
  'apis__authorization.k8s.io__v1',
  'apis__autoscaling__v1',
  'apis__autoscaling__v2',
  'apis__batch__v1',
  'apis__certificates.k8s.io__v1',
  'apis__coordination.k8s.io__v1',
  'apis__discovery.k8s.io__v1',
  'apis__events.k8s.io__v1',
  'apis__flowcontrol.apiserver.k8s.io__v1',
  'apis__networking.k8s.io__v1',
  'apis__node.k8s.io__v1',
  'apis__policy__v1',
  'apis__rbac.authorization.k8s.io__v1',
  'apis__scheduling.k8s.io__v1',
  'apis__storage.k8s.io__v1',
]

/** Definitions that no resource refers to and that requests or answers are made of. */
const ALSO = ['meta.v1.DeleteOptions', 'meta.v1.Status', 'meta.v1.ListMeta']

const version = process.argv[2] ?? 'v1.36.4'
const library = version.replace(/^v1/, 'v0')
const target = join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  'packages/apiserver/src/schema/builtin.generated.json',
)

const work = mkdtempSync(join(tmpdir(), 'lockstep-builtins-'))
try {
  writeFileSync(join(work, 'go.mod'), 'module builtins\n\ngo 1.24\n')
  const kubernetes = download('k8s.io/kubernetes', version)
  const sources = [
    download('k8s.io/api', library),
    download('k8s.io/apimachinery', library),
    download('k8s.io/apiextensions-apiserver', library),
    download('k8s.io/kube-aggregator', library),
  ]
  generate(kubernetes, sources)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Folder of a module; only the proxy is asked, as for any dependency of a Go program. */
function download(module, at) {
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', GONOSUMDB: '*' }
  const out = execFileSync('go', ['mod', 'download', '-json', `${module}@${at}`], { cwd: work, env })
  return JSON.parse(out.toString()).Dir
}

function generate(kubernetes, sources) {
  const read = (folder, name) => JSON.parse(readFileSync(join(kubernetes, folder, `${name}.json`), 'utf8'))
  const documents = GROUPS.map((g) => read('api/openapi-spec/v3', `${g}_openapi`))
  const discovery = GROUPS.map((g) => read('api/discovery', g))
  const resources = resourcesFrom(discovery, documents)
  const roots = new Set(ALSO)
  for (const r of resources)
    for (const type of [r.type, ...Object.values(r.subresources ?? {}).map((s) => s.type)])
      if (type) roots.add(type)
  const definitions = definitionsFrom(documents, [...roots], nullFields(sources))
  const lines = [
    `"source":${JSON.stringify(`Discovery and OpenAPI documents and Go sources of Kubernetes ${version} (k8s.io/kubernetes)`)}`,
    '"license":"Apache-2.0, Copyright The Kubernetes Authors"',
    `"resources":[\n${resources.map((r) => JSON.stringify(r)).join(',\n')}\n]`,
    `"definitions":{\n${Object.entries(definitions)
      .map(([name, d]) => `${JSON.stringify(name)}:${JSON.stringify(d)}`)
      .join(',\n')}\n}`,
  ]
  const text = `{\n${lines.join(',\n')}\n}\n`
  writeFileSync(target, text)
  const count = Object.keys(definitions).length
  process.stdout.write(`${resources.length} resources, ${count} definitions, ${text.length} bytes\n`)
}
