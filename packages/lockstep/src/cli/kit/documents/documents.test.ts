import { describe, expect, it } from 'vitest'
import type { RequestError } from '../../../../../kube/src/client/requesterror.ts'
import { documentRefusals, pathOf, refusedFields } from './documentrefusals.ts'
import { excerpt } from './excerpt.ts'
import { parseSources } from './parsesources.ts'

const parse = (text: string) => parseSources([{ file: 'x.yaml', text }], 'team')

const BASE = { cluster: 'hub', verb: 'apply', ref: { group: '', kind: 'x', name: 'x' }, wrote: 'no' } as const

describe('parseSources', () => {
  it('fills in the namespace, and only where there is one', () => {
    const { documents } = parse(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n',
    )
    expect(documents.map((d) => d.object.metadata)).toEqual([{ name: 'a', namespace: 'team' }, { name: 'b' }])
  })
  it('takes Lists apart', () => {
    const { documents, total } = parse(
      'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n',
    )
    expect([total, documents.map((d) => d.path)]).toEqual([
      2,
      [
        ['items', 0],
        ['items', 1],
      ],
    ])
  })
  it('takes lists of a kind apart, and those of nothing', () => {
    const { documents, failures } = parse(
      'apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n',
    )
    expect([documents.map((d) => d.object.metadata.name), failures]).toEqual([['a'], []])
  })
  const bad: readonly [string, string, string, number, number][] = [
    ['null in a list', 'apiVersion: v1\nkind: List\nitems:\n- null\n', 'E_NOT_AN_OBJECT', 4, 3],
    ['a list without items', 'apiVersion: v1\nkind: List\n', 'E_NOT_AN_OBJECT', 1, 1],
    ['syntax', 'a: [1\nb: 2\n', 'E_YAML_SYNTAX', 2, 1],
    ['duplicate key', 'a: 1\na: 2\n', 'E_YAML_DUPLICATE_KEY', 2, 1],
    ['no object', '- 1\n', 'E_NOT_AN_OBJECT', 1, 1],
    ['no apiVersion', '# x\nkind: Module\n', 'E_NOT_AN_OBJECT', 2, 1],
    ['another kind', 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n', 'E_KIND_UNKNOWN', 2, 7],
    ['no name', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n', 'E_NOT_AN_OBJECT', 3, 11],
    [
      'a name that YAML reads as true',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n',
      'E_NOT_AN_OBJECT',
      4,
      9,
    ],
  ]
  it.each(bad)('%s: says what and where', (_, text, code, line, column) => {
    const { failures, documents } = parse(text)
    expect(documents).toEqual([])
    expect(failures[0]).toMatchObject({ code, file: 'x.yaml', line, column, exit: 2 })
    expect(failures[0]?.excerpt).toContain('^')
  })
  it('names the kind that was meant', () => {
    const [failure] = parse('apiVersion: lockstep.dev/v1alpha1\nkind: Modul\nmetadata: {name: x}\n').failures
    expect(failure?.hint).toBe('did you mean Module?')
  })
})

describe('refusals', () => {
  const text = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata:
  name: web
spec:
  rollout:
    strategi: Replace
    maxUnavailable: "10 %" # ten
`
  const [document] = parse(text).documents
  it('point at an unknown key, and say what was meant', () => {
    const message =
      'failed to create typed patch object (team/web; lockstep.dev/v1alpha1, Kind=Module): .spec.rollout.strategi: field not declared in schema'
    const [failure] = documentRefusals(document!, { ...BASE, kind: 'Server', status: 500, message }, 'hub')
    expect(failure).toMatchObject({
      code: 'E_FIELD_UNKNOWN',
      line: 7,
      column: 5,
      field: 'spec.rollout.strategi',
    })
    expect(failure?.hint).toBe('did you mean strategy?')
    expect(failure?.excerpt).toMatch(/\^{8} did you mean strategy\?$/)
  })
  it('name the replacement of a former field', () => {
    const hold = parse(`apiVersion: lockstep.dev/v1alpha1
kind: Hold
metadata: {name: audit, namespace: platform}
spec:
  targetRef: {kind: Module, name: web}
  reason: audit
  action: Pause
  scope: Starts
`).documents[0]!
    const message =
      'failed to create typed patch object (platform/audit; lockstep.dev/v1alpha1, Kind=Hold): .spec.scope: field not declared in schema'
    const [failure] = documentRefusals(hold, { ...BASE, kind: 'Server', status: 500, message }, 'hub')
    expect(failure).toMatchObject({
      message: 'x.yaml:8:3 Hold/platform/audit: spec.scope: unknown field',
      hint: 'use action: Pause or Suspend',
    })
  })
  it('point at a bad value, and say what to write', () => {
    const causes = [
      {
        field: 'spec.rollout.maxUnavailable',
        message: `Invalid value: "10 %": spec.rollout.maxUnavailable in body should match '^([0-9]+|[0-9]{1,2}%|100%)$'`,
      },
    ]
    const [failure] = documentRefusals(document!, { ...BASE, kind: 'Invalid', message: '', causes }, 'hub')
    expect(failure?.message).toBe(
      'x.yaml:8:21 Module/team/web: spec.rollout.maxUnavailable: "10 %" is neither a number nor a percentage',
    )
    expect(failure?.excerpt).toMatch(/\^{6} write 10 or 10%$/)
  })
  it('show nothing of what is in a Secret', () => {
    const secret = parse('apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {pw: hunter2!}\n')
      .documents[0]!
    const causes = [{ field: 'data.pw', message: 'Invalid value: "hunter2!": not base64' }]
    const [failure] = documentRefusals(secret, { ...BASE, kind: 'Invalid', message: '', causes }, 'hub')
    expect(JSON.stringify(failure)).not.toContain('hunter2')
  })
  it('understand several fields of one patch, and strict decoding', () => {
    const of = (message: string): string[] =>
      refusedFields({ ...BASE, kind: 'Server', status: 500, message } as RequestError).map((p) => p.field)
    expect(
      of(
        'failed to create typed patch object (a/b; v1, Kind=x): errors:\n  .spec.a: field not declared in schema\n  .b[0].c: expected list, got &{map[]}',
      ),
    ).toEqual(['spec.a', 'b[0].c'])
    expect(of('strict decoding error: unknown field "spec.x", unknown field "y"')).toEqual(['spec.x', 'y'])
    expect(of('something else')).toEqual([])
  })
  it('fields are paths', () => {
    expect(pathOf('spec.dependsOn[0].id')).toEqual(['spec', 'dependsOn', 0, 'id'])
    expect(pathOf('metadata.labels[a.b/c]')).toEqual(['metadata', 'labels', 'a.b/c'])
    expect(pathOf('spec.ports[port=80,name="a.b"].x')).toEqual(['spec', 'ports', 'port=80,name="a.b"', 'x'])
  })
})

describe('excerpt', () => {
  it('marks a value inside a flow mapping, not the rest of the line', () => {
    expect(excerpt('a\n  m: {kind: Mod, name: b}', { line: 2, column: 13 }).split('\n').pop()).toMatch(
      /\| {13}\^{3}$/,
    )
  })
  it('cuts long lines', () => {
    const lines = excerpt(`k: ${'x'.repeat(500)}`, { line: 1, column: 4 }).split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  })
  it('of a long line shows the place', () => {
    const text = `before: 1\n{a: ${'x'.repeat(200)}, strategi: Replace, b: ${'y'.repeat(200)}}`
    const lines = excerpt(text, { line: 2, column: text.indexOf('strategi') - 9 }).split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    const caret = lines[2]!.indexOf('^')
    expect(lines[1]!.slice(caret, lines[2]!.lastIndexOf('^') + 1)).toBe('strategi')
  })
})
