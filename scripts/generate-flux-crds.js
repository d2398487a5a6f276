// Writes src/apiserver/world/flux/crds.generated.json from the definitions in the Go modules of Flux's controllers. Run by a developer
// when the simulated Flux moves to other versions (needs `go` and its module proxy): node scripts/generate-flux-crds.js
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'

/** Modules, and which of their definitions the simulation serves. The source-controller is of the same distribution. */
const MODULES = [
  { name: 'kustomize-controller', version: 'v1.9.4', files: ['kustomize.toolkit.fluxcd.io_kustomizations'] },
  { name: 'helm-controller', version: 'v1.6.3', files: ['helm.toolkit.fluxcd.io_helmreleases'] },
  {
    name: 'source-controller',
    version: 'v1.9.4',
    files: ['gitrepositories', 'ocirepositories', 'buckets', 'helmrepositories', 'helmcharts'].map(
      (plural) => `source.toolkit.fluxcd.io_${plural}`,
    ),
  },
]

const target = join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  'src/apiserver/world/flux/crds.generated.json',
)

const work = mkdtempSync(join(tmpdir(), 'lockstep-flux-'))
try {
  writeFileSync(join(work, 'go.mod'), 'module flux\n\ngo 1.24\n')
  generate(MODULES.flatMap(({ name, version, files }) => read(download(name, version), files)))
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Folder of a module; only the proxy is asked, as for any dependency of a Go program. */
function download(name, version) {
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', GONOSUMDB: '*' }
  const module = `github.com/fluxcd/${name}@${version}`
  return JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { cwd: work, env })).Dir
}

function read(folder, files) {
  return files.map((file) =>
    definition(load(readFileSync(join(folder, 'config/crd/bases', `${file}.yaml`), 'utf8'))),
  )
}

/** A definition with its served, not deprecated versions and without descriptions, which are two thirds of it. */
function definition({ apiVersion, kind, metadata, spec }) {
  const versions = spec.versions
    .filter((v) => v.served && !v.deprecated)
    .map((v) => ({ ...v, schema: { openAPIV3Schema: bare(v.schema.openAPIV3Schema) } }))
  if (!versions.some((v) => v.storage)) throw new Error(`${metadata.name}: no stored version is left`)
  return { apiVersion, kind, metadata: { name: metadata.name }, spec: { ...spec, versions } }
}

/** A schema without descriptions; a property of that name stays. */
function bare(schema) {
  const out = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'description') continue
    if (key === 'properties')
      out[key] = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, bare(v)]))
    else if (['items', 'additionalProperties', 'not'].includes(key) && isObject(value)) out[key] = bare(value)
    else if (['allOf', 'anyOf', 'oneOf'].includes(key)) out[key] = value.map(bare)
    else out[key] = value
  }
  return out
}

function isObject(value) {
  return typeof value === 'object' && value !== null
}

function generate(definitions) {
  const modules = MODULES.map((m) => `github.com/fluxcd/${m.name} ${m.version}`).join(', ')
  const lines = [
    `"source":${JSON.stringify(`config/crd/bases of ${modules}; descriptions and versions that are deprecated or not served are left out`)}`,
    '"license":"Apache-2.0, Copyright The Flux authors"',
    `"definitions":[\n${definitions.map((d) => JSON.stringify(d)).join(',\n')}\n]`,
  ]
  const text = `{\n${lines.join(',\n')}\n}\n`
  writeFileSync(target, text)
  process.stdout.write(`${definitions.length} definitions, ${text.length} bytes\n`)
}
