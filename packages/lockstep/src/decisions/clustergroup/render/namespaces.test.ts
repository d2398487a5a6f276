import { describe, expect, it } from 'vitest'
import { at, type JsonObject } from '../../../../../kube/src/object/index.ts'
import { bodyOf, hub, refusal, those, warnings } from '../clustergroup.cases.ts'

const MANAGED = { 'argocd.argoproj.io/managed-by': 'p-hub' }

const bodies = (kind: string, members: string): unknown[] => those(kind, hub(members)).map(bodyOf)
const names = (kind: string, members: string): unknown[] =>
  those(kind, hub(members)).map((o) => at(o, 'metadata', 'name'))

describe('a namespace', () => {
  const full = 'a: {labels: {x: 1, w: 0, argocd.argoproj.io/managed-by: me}, annotations: {z: true}}'
  const made = {
    metadata: {
      name: 'a',
      labels: { 'argocd.argoproj.io/managed-by': 'me', x: '1', w: '' },
      annotations: { z: 'true' },
    },
    spec: null,
  }
  it.each([
    ['a text in a list', '[a]', { metadata: { name: 'a', labels: MANAGED }, spec: null }],
    ['a key with nothing', '{a: null}', { metadata: { name: 'a', labels: MANAGED }, spec: null }],
    ['a map in a list', `[{${full}}]`, made],
    ['a key with a map', `{${full}}`, made],
    [
      'empty labels and annotations',
      '{a: {labels: {}, annotations: {}}}',
      { metadata: { name: 'a', labels: MANAGED }, spec: null },
    ],
    ['a name that reads as a number', '["5"]', { metadata: { name: 5, labels: MANAGED }, spec: null }],
  ])('%s', (_, namespaces, expected) => {
    expect(bodies('Namespace', `namespaces: ${namespaces}`)).toEqual([expected])
  })

  it('whose Argo CD is shared belongs to that', () => {
    const one = those(
      'Namespace',
      'global: {singleArgoCD: true, vpArgoNamespace: argo}',
      hub('namespaces: [a]'),
    )
    expect(at(one[0], 'metadata', 'labels')).toEqual({ 'argocd.argoproj.io/managed-by': 'argo' })
  })
  it('that is disabled is none, and has no OperatorGroup', () => {
    for (const all of [
      '[{a: {disabled: true}}, {b: {disabled: "no"}}, {c: {disabled: false}}]',
      '{a: {disabled: true}, b: {disabled: "no"}, c: {disabled: 0}}',
    ]) {
      expect(names('Namespace', `namespaces: ${all}`)).toEqual(['c'])
      expect(names('OperatorGroup', `namespaces: ${all}`)).toEqual(['c-operator-group'])
    }
  })
  it('empty entries are nothing', () => expect(names('Namespace', 'namespaces: ["", {}, a]')).toEqual(['a']))

  it.each([
    ['[{a: {}, b: {}}]', '[0]: one key with a map expected'],
    ['[a, {b: null}]', '[1]: one key with a map expected'],
    ['{a: text}', '.a: "text" is not expected; write a map, or nothing'],
    ['{a: {labels: text}}', '.a.labels: "text" is not a map; give it names with values'],
    ['["a: b"]', '[0]: "a: b" is not a plain value; the chart\'s output would not parse'],
  ])('%s is refused', (namespaces, line) =>
    expect(refusal(hub(`namespaces: ${namespaces}`))).toContain(
      `template: values.yaml: clusterGroup.namespaces${line}`,
    ),
  )
})

describe('an OperatorGroup', () => {
  const group = (rest: JsonObject, metadata: JsonObject = {}): unknown => ({
    metadata: { name: 'a-operator-group', namespace: 'a', ...metadata },
    ...rest,
  })
  const own = { spec: { targetNamespaces: ['a'] } }
  const both = { labels: { x: '1' }, annotations: { z: '2' } }
  it.each([
    ['[a]', [group(own)]],
    ['{a: null}', [group(own)]],
    ['[{a: {}}]', [group(own)]],
    ['[{a: {operatorGroup: true}}]', [group(own)]],
    ['[{a: {operatorGroup: false}}]', []],
    ['{a: {operatorGroup: null}}', []],
    ['{a: {targetNamespaces: []}}', [group({})]],
    ['{a: {targetNamespaces: null}}', [group({})]],
    ['{a: {targetNamespaces: [b, "5"]}}', [group({ spec: { targetNamespaces: ['b', 5] } })]],
    ['[{a: {labels: {x: 1}, annotations: {z: 2}}}]', [group(own, both)]],
    ['{a: {labels: {x: 1}, annotations: {z: 2}}}', [group(own)]],
    ['[{a: {labels: {}, annotations: {}}}]', [group(own, { labels: null })]],
  ])('of %s', (namespaces, expected) =>
    expect(bodies('OperatorGroup', `namespaces: ${namespaces}`)).toEqual(expected),
  )

  it('is excluded by name, of texts in a list only', () => {
    const excludes = '\noperatorgroupExcludes: [a]'
    expect(names('OperatorGroup', `namespaces: [a, b]${excludes}`)).toEqual(['b-operator-group'])
    expect(names('OperatorGroup', `namespaces: [{a: {}}]${excludes}`)).toEqual(['a-operator-group'])
    expect(names('OperatorGroup', `namespaces: {a: null}${excludes}`)).toEqual(['a-operator-group'])
    expect(warnings(hub(`namespaces: {a: null}${excludes}`))).toEqual([
      'values.yaml: clusterGroup.operatorgroupExcludes[0] has no effect, since the namespace is not a text in a list; write operatorGroup: false there',
    ])
    expect(warnings(hub(`namespaces: [b]${excludes}`))).toEqual([
      'values.yaml: clusterGroup.operatorgroupExcludes[0] has no effect, since no namespace here is called so; take it out',
    ])
    expect(warnings(hub(`namespaces: [a]${excludes}`))).toEqual([])
  })

  it('is not excluded by what no template reads', () =>
    expect(warnings(hub('namespaces: [a]\noperatorgroupExcludeTargetNS: [a]'))).toEqual([
      'values.yaml: clusterGroup.operatorgroupExcludeTargetNS has no effect, since no template reads it; write targetNamespaces: [] at the namespace for all namespaces, or operatorGroup: false for none',
    ]))
})
