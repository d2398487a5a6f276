/** What Helm says when it fails, as a reason and a message with names as they are in the repository. Pure. */
import {
  at,
  isArray,
  isString,
  type JsonValue,
  locateYaml,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import { combined, fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { type ChartNames, inDirectory } from './chartnames.ts'

export interface HelmStderr {
  readonly stderr: string
  /** Private files of ours and what they stand for. */
  readonly files: readonly (readonly [path: string, name: string])[]
  readonly tree: SourceTree
  readonly directory: string
  readonly names: ChartNames
  /** Values come of Secrets: nothing is told but places. */
  readonly secret: boolean
}

const MAX_LENGTH = 2000

export function helmFailureOf(said: HelmStderr): SourceFailure {
  const text = lastError(said.stderr)
  const missing = /missing in charts\/ directory: (.+)/.exec(text)?.[1]
  if (missing !== undefined) return missingDependencies(said, missing.split(', '))
  if (said.secret)
    return fault('RenderFailed', { place: 'helm', because: 'Secret', error: placesOnly(said, text) })
  let shown = said.names.inText(placeFirst(said, text))
  for (const [path, name] of said.files) shown = shown.replaceAll(path, name)
  const error = shown.slice(0, MAX_LENGTH)
  return fault('RenderFailed', { place: 'helm', because: 'Tool', error, setting: settingFor(shown) })
}

/** The setting that ends an error of helm. */
function settingFor(text: string): string | undefined {
  if (text.includes(' incompatible with Kubernetes v')) return 'spec.render.helm.kubeVersion'
  return text === 'unknown flag: --skip-schema-validation'
    ? 'spec.render.helm.skipSchemaValidation only with Helm 3.16 or newer, for packed charts'
    : undefined
}

/** From its last `Error:` on; before it there are warnings. */
function lastError(stderr: string): string {
  const from = [...stderr.matchAll(/^Error: /gm)].pop()
  const text = from ? stderr.slice(from.index + from[0].length) : stderr
  return text.replace(/^Use --debug flag .*$/m, '').trim() || 'failed without output'
}

/** The template before all else, and where it is one error, one line: Helm 4 breaks it into several. */
function placeFirst({ directory }: HelmStderr, text: string): string {
  // Each line about a schema is an error.
  const line = text.startsWith('values ') ? text.replace(/\s*\n\s*/g, ' ') : text.replace(/:?\s*\n\s*/g, ': ')
  return line
    .replace(/^(?:execution|parse) error at \((.+?)\): /, '$1: ')
    .replace(/^template: /, '')
    .replace(/^YAML parse error on (\S+): /, '$1: output is invalid YAML: ')
    .replace(/^cannot load (?=[^/\s])/, `cannot load ${inDirectory(directory, '')}`)
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^values don't meet the specifications/, 'values do not match values.schema.json'],
  [/^YAML parse error on /, 'output of a template is invalid YAML'],
]

/** Templates of the tree with line and column. Of anything else nobody knows whether it is a value. */
function placesOnly({ tree, names }: HelmStderr, text: string): string {
  const files = new Set(tree.files.map((f) => f.path))
  const places = [...names.inText(text).matchAll(/([^\s:()"]+\.\w+)(?::\d+){0,2}/g)]
    .filter(([, path]) => files.has(path!))
    .map(([place]) => place)
  const kind = KINDS.find(([sign]) => sign.test(text))?.[1] ?? 'failed'
  // Helm names a template twice: with the line, and without.
  const told = [...new Set(places)].filter((p) => !places.some((other) => other.startsWith(`${p}:`)))
  return `${told.map((p) => `${p}: `).join('')}${kind}`
}

/** Where a chart of the first API version says what it depends on, too. */
const LISTS = ['Chart.yaml', 'requirements.yaml']

function missingDependencies({ tree, directory }: HelmStderr, names: readonly string[]): SourceFailure {
  const failures = names.map((text) => {
    const chart = text.trim()
    for (const list of LISTS) {
      const path = inDirectory(directory, list)
      const file = tree.files.find((f) => f.path === path)
      const found = file && dependency(new TextDecoder().decode(file.bytes), chart)
      if (!found) continue
      const { line, version } = found
      return fault('ChartDependencyMissing', { place: `${path}:${line}`, chart, version })
    }
    return fault('ChartDependencyMissing', { place: inDirectory(directory, 'Chart.yaml'), chart })
  })
  return combined(failures)
}

function dependency(text: string, name: string): { line: number; version: string } | undefined {
  const listed = at(firstOf(text), 'dependencies')
  const i = isArray(listed) ? listed.findIndex((d) => at(d, 'name') === name) : -1
  if (i < 0) return undefined
  const version = isArray(listed) ? at(listed[i], 'version') : undefined
  return {
    line: locateYaml(text, 0, ['dependencies', i])?.line ?? 1,
    version: isString(version) ? version : '',
  }
}

function firstOf(text: string): JsonValue | undefined {
  try {
    return parseYamlStream(text)[0]
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return undefined
  }
}
