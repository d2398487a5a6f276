import { describe, expect, it } from 'vitest'
import { at, type JsonObject } from '../../../../../kube/src/object/index.ts'
import { bodyOf, hub, made, refusal, those, warnings } from '../clustergroup.cases.ts'

const extra = (members: string): readonly JsonObject[] => made(hub(`extraObjects: ${members}`)).objects

describe('an extra object', () => {
  it('is data: types, nulls and braces stay', () => {
    const spec =
      '{i: 42, f: 0.25, b: true, z: null, t: "0123", e: "", m: {}, l: [1, [2]], big: 9007199254740991, million: 1000000, braces: "{{ .Values.a }}"}'
    expect(extra(`{a: {apiVersion: example.com/v1, kind: A, metadata: {name: a}, spec: ${spec}}}`)).toEqual([
      {
        apiVersion: 'example.com/v1',
        kind: 'A',
        metadata: { name: 'a' },
        spec: {
          i: 42,
          f: 0.25,
          b: true,
          z: null,
          t: '0123',
          e: '',
          m: {},
          l: [1, [2]],
          big: 9007199254740991,
          million: 1000000,
          braces: '{{ .Values.a }}',
        },
      },
    ])
  })
  it('is none if it is disabled; else it goes without saying so', () => {
    expect(
      extra(
        '{b: {kind: B, disabled: false}, a: {kind: A}, c: {kind: C, disabled: "false"}, d: {kind: D, disabled: 1}}',
      ),
    ).toEqual([{ kind: 'A' }, { kind: 'B' }])
    expect(extra('{a: {kind: A, spec: {disabled: true}}}')).toEqual([{ kind: 'A', spec: { disabled: true } }])
    expect(warnings(hub('extraObjects: {c: {kind: C, disabled: "false"}}'))).toEqual([
      'values.yaml: clusterGroup.extraObjects.c.disabled: the text "false" disables, since it is not empty; use a boolean',
    ])
  })
  it.each(['null', 'text', '[]'])('%s is refused', (value) =>
    expect(refusal(hub(`extraObjects: {a: ${value}}`))).toEqual([
      expect.stringMatching(
        /^template: values.yaml: clusterGroup.extraObjects.a: .* is not expected; write an object/,
      ),
    ]),
  )
})

describe('a node', () => {
  const MANAGED = { 'argocd.argoproj.io/managed-by': 'p-hub' }
  it.each([
    ['{worker: {}}', { metadata: { name: 'worker', labels: MANAGED } }],
    [
      '{worker: {labels: {x: "", y1: 1}, annotations: {z: 0}}}',
      { metadata: { name: 'worker', labels: { ...MANAGED, x: '', y1: '1' }, annotations: { z: '' } } },
    ],
  ])('%s', (item, expected) => expect(those('Node', hub(`nodes: [${item}]`)).map(bodyOf)).toEqual([expected]))
  it('belongs to an Argo CD whose name stays text, other than for a namespace', () => {
    const all = made(
      hub('nodes: [{a: {}}]\nnamespaces: [b]'),
      'global: {singleArgoCD: true, vpArgoNamespace: "5"}',
    )
    expect(
      all.objects.map((o) => [o.kind, at(o, 'metadata', 'labels', 'argocd.argoproj.io/managed-by')]),
    ).toEqual([
      ['Namespace', 5],
      ['OperatorGroup', undefined],
      ['Node', '5'],
    ])
  })
  it('is called what its key reads as', () =>
    expect(at(those('Node', hub('nodes: [{"5": {}}]'))[0], 'metadata', 'name')).toBe(5))
  it('is not the business of the plumbing', () =>
    expect(made(hub('nodes: [{a: {}}]\nscheduler: {}', 'enabled: plumbing\n')).objects).toEqual([]))
  it('stands in a list, alone in its map', () => {
    expect(refusal(hub('nodes: {a: {}}'))).toEqual([
      expect.stringContaining('clusterGroup.nodes: the chart takes the members of a map'),
    ])
    expect(refusal(hub('nodes: [{a: {}, b: {}}, {a: null}]'))).toEqual([
      'template: values.yaml: clusterGroup.nodes[0]: one key with a map expected',
      'template: values.yaml: clusterGroup.nodes[1]: one key with a map expected',
    ])
    expect(made(hub('nodes: {}')).objects).toEqual([])
  })
})

it('the scheduler is what the key says, also when that is nothing', () => {
  const metadata = {
    name: 'cluster',
    annotations: { 'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false' },
  }
  expect(those('Scheduler', hub('scheduler: {profile: High}')).map(bodyOf)).toEqual([
    { metadata, spec: { profile: 'High' } },
  ])
  expect(those('Scheduler', hub('scheduler: {}')).map(bodyOf)).toEqual([{ metadata, spec: {} }])
})

describe('a catalog', () => {
  it.each([
    ['{name: mine, image: quay.io/team/catalog:v1}', 'mine'],
    ['{image: quay.io/team/catalog:v1}', 'team-catalog'],
    ['{image: quay.io/a/b/c:v1}', 'a-b-c'],
    ['{image: plain-image}', 'plain-image'],
    ['{image: team/untagged}', 'team-untagged'],
    ['{image: localhost:5000/a/b:v1}', 'a-b'],
    ['{name: "", image: a/b:c}', 'b'],
    ['{name: "5", image: a/b:c}', 5],
  ])('%s is called %s', (item, name) => {
    const [source] = those('CatalogSource', hub(`indexImages: [${item}]`))
    expect(at(source, 'metadata')).toEqual({ name, namespace: 'openshift-marketplace' })
    expect(at(source, 'spec', 'sourceType')).toBe('grpc')
  })
  it('has an image, as YAML reads it', () => {
    const images = those(
      'CatalogSource',
      hub('indexImages: [{name: a, image: "quay.io/a/b:v1"}, {name: b, image: "7"}]'),
    )
    expect(images.map((o) => at(o, 'spec'))).toEqual([
      { sourceType: 'grpc', image: 'quay.io/a/b:v1' },
      { sourceType: 'grpc', image: 7 },
    ])
  })
  it.each([
    ['{}', '{}'],
    ['{name: a}', '{"name":"a"}'],
    ['{name: a, image: ""}', '{"image":"","name":"a"}'],
  ])('without an image is refused: %s', (item, shown) =>
    expect(refusal(hub(`indexImages: [${item}]`))).toEqual([
      `template: values.yaml: clusterGroup.indexImages[0]: ${shown} has no image; give it one`,
    ]),
  )
})
