import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../packages/kube/src/object/index.ts'
import { BadInput } from '../conformancekind.ts'
import { runConformance } from '../runconformance.ts'
import { stepsOf, withSet } from './assertpath.ts'
import { clustergroup } from './clustergroupkind.ts'

const chart = mkdtempSync(join(tmpdir(), 'conformance-'))
afterAll(() => rmSync(chart, { recursive: true, force: true }))
mkdirSync(join(chart, 'tests'))
writeFileSync(join(chart, 'values.yaml'), '')
const SUITE = join(chart, 'tests', 'one_test.yaml')

/** What running a suite prints. */
async function printed(suite: string): Promise<string[]> {
  writeFileSync(SUITE, suite)
  const out: string[] = []
  await runConformance(
    ['clustergroup', chart],
    (line) => out.push(line),
    (line) => out.push(line),
  )
  return out
}

const suiteOf = (template: string, set: string, asserts: readonly string[]): string =>
  `suite: s
templates: [templates/${template}]
release: {name: any}
tests:
  - it: t
    set: ${set}
    asserts:
${asserts.map((a) => `      - ${a}\n`).join('')}`

const SUBSCRIPTIONS = `{clusterGroup: {subscriptions: {a: {name: a, namespaces: [w, x]}, b: {name: b, csv: b.v1, annotations: {k/l: "1"}}}}}`
const ofSubscriptions = (...asserts: string[]): Promise<string[]> =>
  printed(suiteOf('core/subscriptions.yaml', SUBSCRIPTIONS, asserts))
const B = 'documentSelector: {path: metadata.name, value: b}'
const A = 'documentIndex: 0'

describe('an assert', () => {
  it.each([
    ['hasDocuments: {count: 3}', 'hasDocuments: {count: 2}'],
    ['isKind: {of: Subscription}', 'isKind: {of: Job}'],
    ['isAPIVersion: {of: operators.coreos.com/v1alpha1}', 'isAPIVersion: {of: v1}'],
    ['equal: {path: spec.source, value: redhat-operators}', 'equal: {path: spec.source, value: other}'],
    ['notEqual: {path: spec.source, value: other}', 'notEqual: {path: spec.source, value: redhat-operators}'],
    [
      `{equal: {path: spec.startingCSV, value: null}, ${A}}`,
      `{equal: {path: spec.channel, value: null}, ${A}}`,
    ],
    ['exists: {path: spec.startingCSV}', 'exists: {path: spec.channel}'],
    ['notExists: {path: spec.channel}', 'notExists: {path: spec.startingCSV}'],
    [`{isNull: {path: spec.startingCSV}, ${A}}`, `{isNull: {path: spec.startingCSV}, ${B}}`],
    [`{isNotNull: {path: spec.startingCSV}, ${B}}`, `{isNotNull: {path: spec.startingCSV}, ${A}}`],
    [`{isNullOrEmpty: {path: spec.startingCSV}, ${A}}`, `{isNullOrEmpty: {path: spec.startingCSV}, ${B}}`],
    [`{isEmpty: {path: spec.startingCSV}, ${A}}`, 'isEmpty: {path: spec.channel}'],
    ['isNotNullOrEmpty: {path: spec}', `{isNotEmpty: {path: spec.startingCSV}, ${A}}`],
    [
      `{equal: {path: 'metadata.annotations["k/l"]', value: "1"}, ${B}}`,
      `{equal: {path: 'metadata.annotations["k/l"]', value: 1}, ${B}}`,
    ],
    [
      `{isSubset: {path: metadata, content: {name: b, annotations: {k/l: "1"}}}, ${B}}`,
      `{isSubset: {path: metadata, content: {name: b, annotations: {}}}, ${B}}`,
    ],
    [
      'isNotSubset: {path: metadata, content: {name: c}}',
      'isNotSubset: {path: spec, content: {source: redhat-operators}}',
    ],
    [
      `{matchRegex: {path: spec.startingCSV, pattern: v1$}, ${B}}`,
      `{matchRegex: {path: spec.startingCSV, pattern: ^v1}, ${B}}`,
    ],
    [
      `{notMatchRegex: {path: metadata.name, pattern: z}}`,
      `{notMatchRegex: {path: metadata.name, pattern: '[ab]'}}`,
    ],
    ['notFailedTemplate: {}', 'failedTemplate: {}'],
    [`{isKind: {of: Job}, not: true}`, `{isKind: {of: Subscription}, not: true}`],
    [
      `{notEqual: {path: metadata.name, value: b}, not: true, ${B}}`,
      `{notEqual: {path: metadata.name, value: a}, not: true, ${B}}`,
    ],
    [
      '{isKind: {of: Subscription}, documentSelector: {path: metadata.name, value: a, matchMany: true}}',
      '{isKind: {of: Subscription}, documentSelector: {path: metadata.name, value: a}}',
    ],
    [
      `{equal: {path: metadata.namespace, value: x}, documentIndex: 1}`,
      '{isKind: {of: Subscription}, documentIndex: 3}',
    ],
  ])('%s holds, %s does not', async (holds, not) => {
    expect(await ofSubscriptions(holds)).toEqual(['1 passed, 0 failed'])
    const [verdict, ...lines] = await ofSubscriptions(holds, not)
    expect(verdict).toBe('FAIL s: t')
    expect(lines.at(-1)).toBe('0 passed, 1 failed')
    expect(lines.slice(0, -1).filter((line) => !line.startsWith('  asserts[1].'))).toEqual([])
    expect(lines.length).toBeGreaterThan(1)
  })

  const APP = '{clusterGroup: {applications: {a: {name: a, path: p, fileParameters: [{name: n, path: q}]}}}}'
  const HELM = 'spec.source.helm'
  it.each([
    [
      `contains: {path: ${HELM}.valueFiles, content: /values-global.yaml}`,
      `contains: {path: ${HELM}.valueFiles, content: values-global.yaml}`,
    ],
    [
      `contains: {path: ${HELM}.fileParameters, content: {name: n, path: q}, count: 1}`,
      `contains: {path: ${HELM}.fileParameters, content: {name: n, path: q}, count: 2}`,
    ],
    [
      `contains: {path: ${HELM}.fileParameters, content: {name: n}, any: true}`,
      `contains: {path: ${HELM}.fileParameters, content: {name: n}}`,
    ],
    [
      `notContains: {path: ${HELM}.valueFiles, content: x}`,
      `notContains: {path: ${HELM}.valueFiles, content: /values-global.yaml}`,
    ],
    [
      `lengthEqual: {path: ${HELM}.fileParameters, count: 1}`,
      `lengthEqual: {path: ${HELM}.fileParameters, count: 2}`,
    ],
    [
      `notLengthEqual: {path: ${HELM}.fileParameters, count: 2}`,
      `notLengthEqual: {path: ${HELM}.fileParameters, count: 1}`,
    ],
    [`equal: {path: '${HELM}.fileParameters[0].path', value: q}`, `notContains: {path: ${HELM}, content: x}`],
  ])('of a list: %s holds, %s does not', async (holds, not) => {
    expect(await printed(suiteOf('plumbing/applications.yaml', APP, [holds]))).toEqual(['1 passed, 0 failed'])
    expect((await printed(suiteOf('plumbing/applications.yaml', APP, [not]))).at(-1)).toBe(
      '0 passed, 1 failed',
    )
  })

  it('says what it expected of which object, and what it got', async () => {
    const asserts = ['isKind: {of: Job}', `{equal: {path: spec.channel, value: x}, ${B}}`]
    expect(await ofSubscriptions(...asserts)).toEqual([
      'FAIL s: t',
      '  asserts[0].isKind of Subscription w/a: expected {"of":"Job"} got "Subscription"',
      '  asserts[0].isKind of Subscription x/a: expected {"of":"Job"} got "Subscription"',
      '  asserts[0].isKind of Subscription openshift-operators/b: expected {"of":"Job"} got "Subscription"',
      '  asserts[1].equal of Subscription openshift-operators/b: expected {"path":"spec.channel","value":"x"} got nothing',
      '0 passed, 1 failed',
    ])
  })
  it('of no document is not so', async () => {
    const none = (assert: string): Promise<string[]> => printed(suiteOf('core/nodes.yaml', '{}', [assert]))
    expect(await none('isKind: {of: Node}')).toContain(
      '  asserts[0].isKind: expected {"of":"Node"} got no document',
    )
    expect(await none('hasDocuments: {count: 0}')).toEqual(['1 passed, 0 failed'])
  })
  it.each([
    ['matchSnapshot: {}', 'asserts[0]: unknown assertion "matchSnapshot"; there are: contains, equal, '],
    ['{equal: {path: a, value: b, decodeBase64: true}}', 'asserts[0].equal: unknown member "decodeBase64"'],
    ['{equal: {path: a}}', 'asserts[0].equal: value is missing'],
    ['{failedTemplate: {errorMessage: x}}', 'asserts[0].failedTemplate: unknown member "errorMessage"'],
    ['{equal: {path: a, value: b}, isKind: {of: c}}', 'asserts[0]: one assertion expected'],
    [
      '{isKind: {of: a}, documentSelector: {path: b, skipEmptyTemplates: true}}',
      'documentSelector: unknown member "skipEmptyTemplates"',
    ],
    ['{exists: {path: "a[*].b"}}', 'path "a[*].b": not read from "[*].b" on'],
  ])('that is not understood fails its test: %s', async (assert, says) => {
    const [verdict, line] = await ofSubscriptions(assert)
    expect(verdict).toBe('FAIL s: t')
    expect(line).toContain(`  ${says}`)
  })
})

describe('values that are refused', () => {
  const wrong = (assert: string): Promise<string[]> =>
    printed(suiteOf('core/namespaces.yaml', '{clusterGroup.name: 5}', [assert]))
  it('fail a test, unless it expects that', async () => {
    expect(await wrong('failedTemplate: {}')).toEqual(['1 passed, 0 failed'])
    for (const assert of [
      'notFailedTemplate: {}',
      'hasDocuments: {count: 0}',
      'failedTemplate: {}, not: true',
    ])
      expect(await wrong(`{${assert}}`)).toEqual([
        'FAIL s: t',
        expect.stringMatching(/refused at stage values: values: clusterGroup\.name: 5 is a number/),
        '0 passed, 1 failed',
      ])
  })
})

describe('a suite', () => {
  it('sets values for all its tests, over files; a test sets more', async () => {
    writeFileSync(join(chart, 'tests', 'a.yaml'), 'clusterGroup: {name: file, namespaces: [a]}')
    writeFileSync(join(chart, 'tests', 'b.yaml'), 'global: {pattern: file}')
    const managed = (value: string): string =>
      `[{equal: {path: 'metadata.labels["argocd.argoproj.io/managed-by"]', value: ${value}}}]`
    expect(
      await printed(`templates: [core/namespaces.yaml]
values: [a.yaml]
set: {global.pattern: suite}
tests:
  - asserts: ${managed('suite-file')}
  - set: {clusterGroup: {name: test}}
    asserts: ${managed('suite-test')}
  - values: [./b.yaml]
    asserts: ${managed('suite-file')}
  - {set: {'clusterGroup.namespaces[1]': b}, documentIndex: 1, asserts: [{equal: {path: metadata.name, value: b}}]}
`),
    ).toEqual(['4 passed, 0 failed'])
  })
  it('tells objects of a template from extra objects of the same kind', async () => {
    const set =
      '{clusterGroup: {namespaces: [a], extraObjects: {x: {apiVersion: v1, kind: Namespace, metadata: {name: x}}}}}'
    expect(
      await printed(suiteOf('core/namespaces.yaml', set, ['{equal: {path: metadata.name, value: a}}'])),
    ).toEqual(['1 passed, 0 failed'])
    expect(
      await printed(suiteOf('core/extraObjects.yaml', set, ['{equal: {path: metadata.name, value: x}}'])),
    ).toEqual(['1 passed, 0 failed'])
  })
  it('of templates that stay with the chart is not compared, and does not count', async () => {
    const asserts = '[{hasDocuments: {count: 0}}]'
    const both = '[{hasDocuments: {count: 0}, template: imperative/job.yaml}, {hasDocuments: {count: 0}}]'
    expect(
      await printed(`suite: s
tests:
  - {it: a, template: templates/plumbing/argocd.yaml, asserts: [{matchSnapshot: {}}]}
  - {it: b, asserts: ${asserts}}
  - {it: c, templates: ['templates/**/*.yaml'], asserts: ${asserts}}
  - {it: d, template: core/nodes.yaml, asserts: ${both}}
  - {it: e, template: core/other.yaml, asserts: ${asserts}}
`),
    ).toEqual([
      'not compared: s: a: templates/plumbing/argocd.yaml makes the Argo CD instance and its rights, which stays with the chart',
      'not compared: s: b: it asks all templates, of which some stay with the chart',
      'not compared: s: c: it asks all templates, of which some stay with the chart',
      'not compared: s: d: imperative/job.yaml makes what the jobs of imperative need, which stays with the chart',
      'FAIL s: e',
      '  core/other.yaml: nobody has said what it makes; add it to templates.ts',
      '1 passed, 1 failed',
    ])
  })
  it('that has nothing to compare is no success', async () => {
    const out = await printed('tests: [{template: plumbing/argocd.yaml, asserts: [{isKind: {of: ArgoCD}}]}]')
    expect(out.slice(1)).toEqual([`conformance: ${chart}: no case to run`, '0 passed, 0 failed'])
  })
  it.each([
    ['tests: [', /^one_test\.yaml:2:1: unexpected end/],
    ['{tests: [], capabilities: {}}', /^one_test\.yaml: suite: unknown member "capabilities"$/],
    ['tests: [{asserts: []}]', /^one_test\.yaml: tests\[0\]\.asserts is empty/],
    ['tests: [{it: a}]', /^one_test\.yaml: tests\[0\]\.asserts must be an array$/],
    ['tests: [{skip: true, asserts: []}]', /^one_test\.yaml: tests\[0\]: unknown member "skip"$/],
    ['{values: [none.yaml], tests: [{asserts: [{}]}]}', /^one_test\.yaml: values: none\.yaml: no such file$/],
    ['{set: {"a[*]": 1}, tests: [{asserts: [{}]}]}', /^one_test\.yaml: path "a\[\*\]": not read/],
  ])('that cannot be run says why: %s', (text, says) => {
    writeFileSync(SUITE, text)
    const load = () => clustergroup.folders(chart)
    expect(load).toThrow(BadInput)
    expect(load).toThrow(says)
  })
  it('lies in folder tests, beside the values of a chart', () => {
    writeFileSync(SUITE, 'tests: []')
    expect(() => clustergroup.folders(join(chart, 'tests'))).toThrow(/: no folder with values\.yaml/)
    writeFileSync(SUITE, 'tests: [{template: core/nodes.yaml, asserts: [{hasDocuments: {count: 0}}]}]')
    expect(clustergroup.folders(join(chart, 'tests'))).toHaveLength(1)
  })
})

describe('a path', () => {
  it.each([
    ['a', ['a']],
    ['a.b[0].c', ['a', 'b', 0, 'c']],
    ['a[0][1]', ['a', 0, 1]],
    ['a["b.c/d"].e', ['a', 'b.c/d', 'e']],
    ["a['b']", ['a', 'b']],
    ['a.b\\.c', ['a', 'b.c']],
    ['a.[b.c].d', ['a', 'b.c', 'd']],
  ])('%s', (path, steps) => expect(stepsOf(path)).toEqual(steps))
  it.each(['', 'a..b', 'a.', '.', 'a[', 'a[*]', '$.a', 'a[?(@.b)]', 'a[0]b'])('%j is none', (path) =>
    expect(() => stepsOf(path)).toThrow(BadInput),
  )
  it.each<[string, JsonObject]>([
    ['a.b', { a: { b: { set: 1 }, c: [1] } }],
    ['a', { a: { b: 1, c: [1], set: 1 } }],
    ['a.c[0]', { a: { b: 1, c: [{ set: 1 }] } }],
    ['a.c[2].d', { a: { b: 1, c: [1, null, { d: { set: 1 } }] } }],
    ['x[0]', { a: { b: 1, c: [1] }, x: [{ set: 1 }] }],
  ])('set at %s', (path, expected) =>
    expect(withSet({ a: { b: 1, c: [1] } }, path, { set: 1 })).toEqual(expected),
  )
})
