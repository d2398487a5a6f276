import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isObject, type JsonValue } from '../../../packages/kube/src/object/index.ts'
import { BadInput, type Case, type NotCompared } from '../conformancekind.ts'
import { answersTo, readAssert } from './asserts.ts'
import { readSuites, templatesOf, type UnitTest } from './suite.ts'
import { renderTemplates, staysWithChart } from './templates.ts'

/** The chart's own tests: files `*_test.yaml` of folder `tests`, beside the `values.yaml` of the chart. */
export function unitTests(folder: string): (Case | NotCompared)[] {
  const path = resolve(folder)
  if (basename(path) !== 'tests' || !existsSync(join(dirname(path), 'values.yaml'))) return []
  return readdirSync(path)
    .filter((file) => file.endsWith('_test.yaml'))
    .sort()
    .flatMap((file) => readSuites(join(path, file)))
    .map(caseOf)
}

function caseOf(test: UnitTest): Case | NotCompared {
  const { id } = test
  const asserts = test.asserts.map((value, i) => ({ value, place: `asserts[${i}]`, ...split(value, test) }))
  const aside = [...new Set(asserts.flatMap((a) => a.aside))].join('; ')
  const compared = asserts.filter((a) => a.templates.length > 0)
  if (compared.length === 0) return { id, aside }
  const run = (): string[] => {
    const rendering = renderTemplates(test.values)
    return compared.flatMap(({ value, place, templates }) =>
      answersTo(readAssert(value, place, test.choice), templates, rendering),
    )
  }
  return { id, ...(aside === '' ? {} : { aside }), run: () => orUnread(run) }
}

/** Templates of an assert that are rendered here, and why others are not. */
function split(
  assert: JsonValue,
  test: UnitTest,
): { templates: readonly string[]; aside: readonly string[] } {
  const own = isObject(assert) ? templatesOf(assert) : []
  const templates = own.length > 0 ? own : test.templates
  if (templates.length === 0 || templates.some((t) => t.includes('*')))
    return { templates: [], aside: ['it asks all templates, of which some stay with the chart'] }
  return {
    templates: templates.filter((t) => staysWithChart(t) === undefined),
    aside: templates.flatMap((t) => staysWithChart(t) ?? []),
  }
}

/** An assert that is not understood fails its test, and says why. */
function orUnread(run: () => string[]): string[] {
  try {
    return run()
  } catch (e) {
    if (!(e instanceof BadInput)) throw e
    return [e.message]
  }
}
