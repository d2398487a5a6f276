import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  parseYamlStream,
  YamlError,
} from '../../../packages/kube/src/object/index.ts'
import {
  decodeValues,
  readLayer,
} from '../../../packages/lockstep/src/decisions/clustergroup/values/layers.ts'
import { mergeValues } from '../../../packages/lockstep/src/decisions/clustergroup/values/merge.ts'
import { BadInput } from '../conformancekind.ts'
import { listOf, objectOf, textOf } from '../datashape.ts'
import { withSet } from './assertpath.ts'

/** One test of a suite of helm-unittest, with what the suite says for all of them. */
export interface UnitTest {
  readonly id: string
  /** None: all of the chart. */
  readonly templates: readonly string[]
  readonly values: JsonObject
  /** As they are written; whoever asks them refuses what it does not know. */
  readonly asserts: readonly JsonValue[]
  /** Of the documents that asserts look at. */
  readonly choice: JsonObject
}

/** What suites and tests may have. No template that is rendered here reads the release. */
const SHARED = ['values', 'set', 'templates', 'release']
const CHOICE = ['documentIndex', 'documentSelector']

/**
 * All tests of a file: of each document, if it has several.
 * @throws BadInput with the name of the file
 */
export function readSuites(file: string): UnitTest[] {
  try {
    return parseYamlStream(readFileSync(file, 'utf8')).flatMap((suite) => testsOf(suite, file))
  } catch (e) {
    if (!(e instanceof BadInput || e instanceof YamlError)) throw e
    const line = e instanceof YamlError ? `:${e.line}:${e.column}` : ''
    throw new BadInput(`${basename(file)}${line}: ${e.message}`)
  }
}

function testsOf(value: JsonValue, file: string): UnitTest[] {
  const suite = objectOf(value, 'suite', ['suite', 'tests', ...SHARED])
  const name = suite.suite === undefined ? basename(file) : textOf(suite.suite, 'suite')
  return listOf(suite.tests, 'tests').map((item, i) => {
    const what = `tests[${i}]`
    const test = objectOf(item, what, ['it', 'asserts', 'template', ...SHARED, ...CHOICE])
    const own = templatesOf(test)
    const asserts = listOf(test.asserts, `${what}.asserts`)
    if (asserts.length === 0) throw new BadInput(`${what}.asserts is empty; a test has to ask something`)
    return {
      id: `${name}: ${test.it === undefined ? what : textOf(test.it, `${what}.it`)}`,
      templates: own.length > 0 ? own : templatesOf(suite),
      values: valuesOf([suite, test], dirname(file)),
      asserts,
      choice: Object.fromEntries(CHOICE.flatMap((k) => (test[k] === undefined ? [] : [[k, test[k]]]))),
    }
  })
}

/** Templates that a suite, a test or an assert names: one, or a list. */
export function templatesOf(said: JsonObject): string[] {
  const { template, templates = [] } = said
  const all = template === undefined ? listOf(templates, 'templates') : [template]
  return all.map((name) => textOf(name, 'a template'))
}

/** Files of the suite, of the test; then what the suite sets, what the test sets. */
function valuesOf(said: readonly JsonObject[], folder: string): JsonObject {
  const files = said.flatMap((s) => listOf(s.values ?? [], 'values'))
  let values: JsonObject = {}
  for (const file of files) values = mergeValues(values, valuesFile(folder, textOf(file, 'a file of values')))
  for (const { set = {} } of said) {
    if (!isObject(set)) throw new BadInput('set must be an object')
    for (const [path, value] of Object.entries(set)) values = withSet(values, path, value!)
  }
  return values
}

function valuesFile(folder: string, name: string): JsonObject {
  const path = join(folder, name)
  if (!existsSync(path)) throw new BadInput(`values: ${name}: no such file`)
  const decoded = decodeValues(name, readFileSync(path))
  const layer = 'stage' in decoded ? decoded : readLayer(decoded)
  if ('stage' in layer) throw new BadInput(layer.text)
  return layer.values
}
