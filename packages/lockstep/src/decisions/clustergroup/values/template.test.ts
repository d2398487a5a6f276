import { describe, expect, it } from 'vitest'
import { at } from '../../../../../kube/src/object/index.ts'
import { hub, refusal, those } from '../clustergroup.cases.ts'

const values = (template: string): string =>
  hub(
    `applications: {vault: {name: vault, path: a, overrides: [{name: x, value: ${JSON.stringify(template)}}]}}`,
    'own: {text: t, number: 1000000, flag: false, none: null, list: [a]}\n',
  )

const evaluated = (template: string): unknown =>
  at(those('Application', values(template))[0], 'spec', 'source', 'helm', 'parameters', 19, 'value')

describe('a reference to a value', () => {
  it.each([
    ['no template', 'no template'],
    ['{{ .Values.own.text }}', 't'],
    ['{{$.Values.own.text}}', 't'],
    ['a {{- .Values.own.text -}} b', 'atb'],
    ['a {{- $.Values.own.text }} b', 'at b'],
    ['a {{ $.Values.own.text -}} b', 'a tb'],
    ['a  {{- $.Values.own.text -}} \n b', 'atb'],
    ['{{ .Values.own.text }}-{{ .Values.clusterGroup.name }}', 't-hub'],
    ['{{ .Values.own.number }}', '1e+06'],
    ['{{ .Values.own.flag }}', 'false'],
    ['{{ .Values.own.none }}{{ .Values.own.nothing }}', ''],
    ['{{ .Values.own.list }}', '[a]'],
    ['}} alone', '}} alone'],
  ])('%j', (template, expected) => expect(evaluated(template)).toBe(expected))
})

describe('anything else in braces is refused', () => {
  it.each([
    '{{ include "x" . }}',
    '{{ .Values.own.text | upper }}',
    '{{ .Release.Name }}',
    '{{ .Values }}',
    '{{ .Values.own.a-b }}',
    '{{ "}}" }}',
    '{{ .Values.own.text',
    '{{-.Values.own.text}}',
    '{{/* a comment */}}',
  ])('%j', (template) => {
    const [line, ...more] = refusal(values(`before ${template}`))
    expect(more).toEqual([])
    expect(line).toMatch(
      /^template: values\.yaml: clusterGroup\.applications\.vault\.overrides\[0\]\.value uses "\{\{.*"; render\.clusterGroup evaluates only \.Values references; use render\.helm$/,
    )
  })
  it('and so is what goes through nothing', () => {
    expect(refusal(values('{{ .Values.other.text }}'))).toEqual([
      'template: values.yaml: clusterGroup.applications.vault.overrides[0].value uses .Values.other.text: .Values.other is not there, which has no text; set it',
    ])
    expect(refusal(values('{{ .Values.own.text.more }}'))).toEqual([
      expect.stringContaining('.Values.own.text is "t", which has no more; set it'),
    ])
  })
})
