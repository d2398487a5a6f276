// Shared by scripts that write definitions of other projects, from their Go modules and without descriptions.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'

/**
 * Modules as `{ module, version, folder, files }`, in the order of the definitions. `license` names their licence and authors.
 */
export function generateDefinitions(modules, target, license) {
  const work = mkdtempSync(join(tmpdir(), 'lockstep-definitions-'))
  try {
    writeFileSync(join(work, 'go.mod'), 'module definitions\n\ngo 1.24\n')
    const definitions = modules.flatMap(({ module, version, folder, files }) => {
      const dir = download(work, `${module}@${version}`)
      return files.map((file) => definition(load(readFileSync(join(dir, folder, `${file}.yaml`), 'utf8'))))
    })
    write(modules, definitions, target, license)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Folder of a module; only the proxy is asked, as for any dependency of a Go program. */
function download(work, module) {
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', GONOSUMDB: '*' }
  return JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { cwd: work, env })).Dir
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

function write(modules, definitions, target, license) {
  const names = modules.map((m) => `${m.folder} of ${m.module} ${m.version}`).join(', ')
  const lines = [
    `"source":${JSON.stringify(`${names}; descriptions and versions that are deprecated or not served are left out`)}`,
    `"license":${JSON.stringify(license)}`,
    `"definitions":[\n${definitions.map((d) => JSON.stringify(d)).join(',\n')}\n]`,
  ]
  const text = `{\n${lines.join(',\n')}\n}\n`
  writeFileSync(target, text)
  process.stdout.write(`${definitions.length} definitions, ${text.length} bytes\n`)
}
