/** What is found in the text of charts, and in what they come to. */
import { describe, expect, it } from 'vitest'
import type { TreeFile } from '../intake/sourcetree.ts'
import { capabilityWarnings, mayDiffer } from './capabilitywarnings.ts'
import { withPackedCharts } from './packedcharts.ts'
import { runDifference } from './rundifference.ts'
import { schemaProblem } from './schemaproblem.ts'

const filesOf = (files: Readonly<Record<string, string>>): TreeFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }))

describe('.Capabilities', () => {
  it('is told for each place, comments and other files aside', () => {
    const files = filesOf({
      'web/templates/a.yaml':
        'a\n{{- if .Capabilities.APIVersions.Has "x/v1" }}\n{{/* .Capabilities\n*/}}\n.Capabilities\n{{ if\n $.Capabilities.KubeVersion }}{{ end }}\n',
      'web/charts/sub/templates/_b.tpl': '{{ .Capabilities.HelmVersion }}',
      'web/README.md': '{{ .Capabilities }}',
    })
    expect(capabilityWarnings(files, '1.31.0')).toEqual(
      ['web/templates/a.yaml:2', 'web/templates/a.yaml:6', 'web/charts/sub/templates/_b.tpl:1'].map(
        (place) =>
          `W_CAPABILITIES ${place}: reads .Capabilities, which has kubeVersion 1.31.0 and apiVersions of spec.render.helm on all clusters`,
      ),
    )
  })
  it('is told for 20 places, the rest by their number', () => {
    const files = filesOf({ 'templates/a.yaml': '{{ .Capabilities }}\n'.repeat(23) })
    const told = capabilityWarnings(files, '1.30.0')
    expect([told.length, told[20]]).toEqual([21, 'W_CAPABILITIES and 3 more'])
  })
})

describe('whether two runs may differ', () => {
  const differs = (
    template: string,
    values: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ) => mayDiffer(filesOf({ 'templates/a.yaml': template, ...more }), values)
  it.each([
    '{{ randAlphaNum 16 | quote }}',
    '{{- $ca := genCA "ca" 365 }}',
    '{{ (genSignedCert "a" nil nil 1 .ca).Cert }}',
    '{{ uuidv4 }}',
    '{{ now | date "2006" }}',
    '{{ htpasswd "a" "b" }}',
    '{{ .Values.p | bcrypt }}',
    '{{ encryptAES "k" "v" }}',
    '{{ derivePassword 1 "long" "p" "u" "s" }}',
    '{{ keys .Values | first }}',
  ])('%s', (template) => {
    expect(differs(template)).toBe(true)
  })
  it.each([
    'now uuidv4',
    '{{/* randAlphaNum 5 */}}',
    '{{ .Values.database.now }}',
    '{{ .Values.generation }} {{ $values }} {{ .Values.keys }}',
    '{{ include "gen.name" . }}',
    '{{ lookup "v1" "Secret" "a" "b" }}',
  ])('not by %s', (template) => {
    expect(differs(template)).toBe(false)
  })
  it('by what tpl makes templates of', () => {
    expect(differs('{{ tpl .Values.a . }}', ['a: "{{ now }}"'])).toBe(true)
    expect(differs('{{ tpl (.Files.Get "a.txt") . }}', [], { 'a.txt': '{{ uuidv4 }}' })).toBe(true)
    expect(differs('{{ .Values.a }}', ['a: "{{ now }}"'], { 'a.txt': '{{ uuidv4 }}' })).toBe(false)
  })
})

describe('two runs', () => {
  const secret = (data: object, name = 'db') => ({
    object: { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'app' }, data },
    origin: 'web/templates/secret.yaml',
  })
  it.each<[string, object, object, path: string | undefined]>([
    ['equal', { a: 'x' }, { a: 'x' }, undefined],
    ['a value', { user: 'u', password: 'x' }, { user: 'u', password: 'y' }, 'data.password'],
    ['a key', { a: 'x' }, { b: 'x' }, 'data.a'],
    ['an item', { a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }, { b: 3 }] }, 'data.a[1].b'],
    ['a list', { a: [1] }, { a: [1, 2] }, 'data.a'],
  ])('%s', (_, a, b, path) => {
    expect(runDifference([secret(a)], [secret(b)])).toEqual(
      path === undefined ? undefined : { object: 'Secret app/db', path, file: 'web/templates/secret.yaml' },
    )
  })
  it('are about the same objects, in whatever order', () => {
    const [a, b] = [secret({}, 'a'), secret({}, 'b')]
    expect(runDifference([a, b], [b, a])).toBeUndefined()
    expect(runDifference([a], [a, b])).toEqual({ object: 'Secret app/b', file: 'web/templates/secret.yaml' })
    expect(runDifference([a, b], [a])).toEqual({ object: 'Secret app/b', file: 'web/templates/secret.yaml' })
    expect(runDifference([a, a], [a])).toEqual({
      object: 'Secret app/a (2)',
      file: 'web/templates/secret.yaml',
    })
  })
})

describe('packed charts', () => {
  it('that are none are refused before Helm sees them', () => {
    const files = filesOf({ 'web/Chart.yaml': 'a', 'web/charts/db-1.tgz': 'no gzip', 'web/other.tgz': 'x' })
    expect(withPackedCharts({ files, warnings: [] })).toMatchObject({
      error: { reason: 'ArchiveRefused', message: 'helm: web/charts/db-1.tgz: is not a gzip archive' },
    })
    const without = files.filter((f) => !f.path.includes('charts/'))
    expect(withPackedCharts({ files: without, warnings: [] })).toEqual({ ok: true, value: without })
  })
})

describe('schemas of values', () => {
  const problem = (text: string) =>
    schemaProblem(filesOf({ 'web/charts/a/values.schema.json': text, 'web/values.yaml': '[' }))?.message
  it.each([
    { $schema: 'https://json-schema.org/draft-07/schema#', properties: { a: { $ref: '#/definitions/a' } } },
    { $id: 'https://example.com/values.json', type: 'object', properties: { id: { type: 'string' } } },
    { $defs: { a: { $id: 'a', $dynamicRef: '#node' } } },
  ])('%j', (schema) => {
    expect(problem(JSON.stringify(schema))).toBeUndefined()
  })
  it.each<[object, string]>([
    [{ properties: { a: { $ref: 'file:///etc/passwd' } } }, '$ref file:///etc/passwd'],
    [{ allOf: [{ $ref: 'http://127.0.0.1:8080/' }] }, '$ref http://127.0.0.1:8080/'],
    [{ $id: 'FILE:///etc/', $ref: '#' }, '$id FILE:///etc/'],
    [{ $ref: '../a.json' }, '$ref ../a.json'],
    [{ $schema: 'file:///a' }, '$schema file:///a'],
  ])('%j is refused', (schema, place) => {
    expect(problem(JSON.stringify(schema))).toBe(
      `helm: web/charts/a/values.schema.json: ${place}: schemas are not read from other places; copy it into the file, or set spec.render.helm.skipSchemaValidation`,
    )
  })
  it('are JSON to their end, however deep', () => {
    expect(problem('{} x')).toBe('helm: web/charts/a/values.schema.json: not JSON')
    expect(problem('{"\\u0024ref": "file:///a"}')).toContain('$ref file:///a: ')
    const deep = `${'{"not":'.repeat(5000)}{"$ref": "file:///a"}${'}'.repeat(5000)}`
    expect(problem(deep)).toContain('$ref file:///a: ')
  })
})
