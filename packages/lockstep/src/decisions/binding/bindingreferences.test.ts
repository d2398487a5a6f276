import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { ModuleBinding } from '../../api/kinds/module/modulebindings.ts'
import { bindingProblem, needsSecret, sharedOf } from './bindingreferences.ts'
import { fieldPathOf, fieldText } from './fieldpath.ts'
import { mentionOutside, misplacedMention, shadowedVariables } from './misplacedmention.ts'
import { type BindingLookup, resolveBindings, type ValueSources } from './resolvebindings.ts'

const binding = (name: string, source: Partial<ModuleBinding>): ModuleBinding => ({
  name,
  type: 'String',
  ...source,
})
const value = (name: string, text: string) => binding(name, { value: text })
const key = (name: string, of: string) => ({ name: of, key: name })

describe('what a module declares', () => {
  it.each<[string, ModuleBinding[], string | undefined]>([
    ['nothing', [], undefined],
    ['a chain', [value('a', '$(b)'), value('b', '$(CLUSTER_NAME)')], undefined],
    [
      'a circle',
      [value('a', '$(b)'), value('b', 'x$(c)'), value('c', '$(b)')],
      'bindings: b → c → b; remove one of these mentions',
    ],
    ['itself, as text only', [value('a', '$$(a)'), value('b', '$(a) $$(b)')], undefined],
    [
      'itself, as text and as it is',
      [value('a', '$$(a) $(a)')],
      'bindings: a → a; remove one of these mentions',
    ],
    ['itself', [value('a', '$(a)')], 'bindings: a → a; remove one of these mentions'],
    [
      'a circle over a name',
      [value('a', '$(b)'), binding('b', { configMapKeyRef: key('k', '$(a)') })],
      'bindings: a → b → a; remove one of these mentions',
    ],
    [
      'what is given',
      [value('CLUSTER_NAME', 'x')],
      'spec.bindings[0].name: CLUSTER_NAME is given; choose another name',
    ],
    ['a name twice', [value('a', 'x'), value('a', 'y')], 'spec.bindings[1].name: a is declared twice'],
    [
      'no path',
      [binding('a', { workloadFieldRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', fieldPath: 'a[x]' } })],
      'spec.bindings[0].workloadFieldRef.fieldPath: "[x]" is not .name, ["name"], [0] or [*]',
    ],
  ])('%s', (_, bindings, problem) => {
    expect(bindingProblem(bindings)).toBe(problem)
  })

  it('is shared, but for what is made of a cluster; is secret, if it is made of a Secret', () => {
    const all = [
      value('plain', 'x'),
      value('where', '$(CLUSTER_NAME)'),
      binding('region', { cluster: { label: 'r' } }),
      binding('map', { configMapKeyRef: key('k', 'm') }),
      binding('ours', { configMapKeyRef: key('k', 'm-$(region)') }),
      binding('secret', { secretKeyRef: key('k', 's') }),
      value('both', '$(secret) $(ours)'),
    ]
    expect(sharedOf(all).map((b) => b.name)).toEqual(['plain', 'map', 'secret'])
    expect([...needsSecret(all)]).toEqual(['secret', 'both'])
    expect([...needsSecret([...all, value('told', 'use $$(secret)')])]).toEqual(['secret', 'both'])
  })
})

it('what is escaped is text, where the name is declared: also of the binding itself, and of what has no value', () => {
  const lost: ValueSources = {
    given: () => undefined,
    cluster: () => ({ type: 'Missing', text: 'no label' }),
    key: () => expect.fail('no key'),
    object: () => expect.fail('no object'),
  }
  const all = [value('a', '$$(a) $$(b) $$(POD_IP)'), binding('b', { cluster: { label: 'x' } })]
  const out = resolveBindings(all, ['a'], new Map(), lost)
  expect(out).toEqual({ ok: true, value: new Map([['a', { value: '$(a) $(b) $$(POD_IP)' }]]) })
})

describe('a value', () => {
  const found = (text: string): BindingLookup => ({ type: 'Found', text })
  const sources = (look: BindingLookup): ValueSources => ({
    given: (name) => (name === 'CLUSTER_NAME' ? 'edge-7' : 'prod'),
    cluster: () => look,
    key: () => look,
    object: () => look,
  })
  const resolve = (b: ModuleBinding[], look: BindingLookup = found('x')) =>
    resolveBindings(b, [...b.map((x) => x.name), 'CLUSTER_NAME', 'undeclared'], new Map(), sources(look))
  const of = (b: Partial<ModuleBinding>, look: BindingLookup) => {
    const out = resolve([binding('a', { cluster: { label: 'l' }, ...b })], look)
    return out.ok ? out.value.get('a')?.value : out.error.map((f) => `${f.reason}: ${f.message}`)
  }

  it.each<[Partial<ModuleBinding>, BindingLookup, unknown]>([
    [{}, found('eu'), 'eu'],
    [{ type: 'Integer' }, found('12'), 12],
    [{ type: 'Integer' }, found('9007199254740993'), 9007199254740993n],
    [{ type: 'Integer' }, found('abc'), ['BindingInvalid: a: "abc" is not an Integer']],
    [{ type: 'Boolean' }, found('true'), true],
    [{ type: 'Boolean' }, found('yes'), ['BindingInvalid: a: "yes" is not true or false']],
    [{ type: 'JSON' }, found('{"x": [1]}'), { x: [1] }],
    [{ type: 'JSON' }, found('{'), ['BindingInvalid: a: "{" is not JSON']],
    [
      { type: 'Integer' },
      { ...found('hunter2'), secret: true } as BindingLookup,
      ['BindingInvalid: a: the value of a Secret is not an Integer'],
    ],
    [
      {},
      { type: 'Missing', text: 'cluster edge-7 has no label l; set it' },
      ['BindingUnresolved: a: cluster edge-7 has no label l; set it or give a default'],
    ],
    [{ default: 'd' }, { type: 'Missing', text: '' }, 'd'],
    [{ default: '5', type: 'Integer' }, { type: 'Missing', text: '' }, 5],
    [
      { default: 'd' },
      { type: 'Pending', text: 'it is being read' },
      ['BindingUnresolved: a: it is being read'],
    ],
  ])('%j, of %j', (b, look, expected) => {
    expect(of(b, look)).toEqual(expected)
  })

  it('may mention earlier and later names, and what is given', () => {
    const out = resolve([
      value('a', '$(b)-$(CLUSTER_NAME)'),
      value('b', '$(c)'),
      value('c', '1'),
      value('d', '$(nobody)'),
    ])
    expect(out.ok && Object.fromEntries([...out.value].map(([n, b]) => [n, b.value]))).toEqual({
      a: '1-edge-7',
      b: '1',
      c: '1',
      d: '$(nobody)',
      CLUSTER_NAME: 'edge-7',
    })
  })

  it('all that are missing are told', () => {
    const b = (name: string) => binding(name, { cluster: { label: name } })
    const out = resolve([b('x'), b('y')], { type: 'Missing', text: 'no' })
    expect(out.ok ? [] : out.error.map((f) => f.name)).toEqual(['x', 'y'])
  })
})

describe('where objects mention bindings', () => {
  const isA = (name: string) => name === 'a'
  const object = (more: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x' },
    ...more,
  })
  const never = () => false

  it.each<[string, KubeObject, boolean, string | undefined]>([
    ['in a text', object({ data: { k: '$(a)' } }), true, undefined],
    ['in a name', object({ metadata: { name: 'x-$(a)' } }), false, undefined],
    [
      'in its kind',
      object({ kind: '$(a)' }),
      false,
      '$(a) x: kind mentions $(a): what an object is cannot depend on a value',
    ],
    [
      'in the name of a definition',
      object({ kind: 'CustomResourceDefinition', metadata: { name: '$(a).x' } }),
      false,
      'CustomResourceDefinition $(a).x: metadata.name mentions $(a): the name of a definition cannot depend on a value',
    ],
    [
      'of a Secret in a label',
      object({ metadata: { name: 'x', labels: { l: '$(a)' } } }),
      true,
      'ConfigMap x: metadata.labels.l mentions $(a): its value is from a Secret, and metadata is readable without access to Secrets; use it in the content only',
    ],
    ['of others', object({ kind: '$(b)' }), true, undefined],
  ])('%s', (_, o, isSecret, problem) => {
    expect(misplacedMention([o], isA, isSecret ? isA : never)).toBe(problem)
  })

  it('and where they are replaced in nothing', () => {
    expect(mentionOutside({ git: { url: 'https://$(a)/x' } }, 'spec.source', isA)).toBe(
      'spec.source.git.url mentions $(a): bindings are replaced in manifests only',
    )
    expect(mentionOutside({ git: { url: 'https://$(b)/x' } }, 'spec.source', isA)).toBeUndefined()
    expect(mentionOutside({ git: { url: 'https://$$(a)/x' } }, 'spec.source', isA)).toBeUndefined()
  })

  it('which Kubernetes would have replaced itself', () => {
    const container = {
      name: 'main',
      env: [{ name: 'a' }, { name: 'b' }],
      args: ['--x=$(a)', '$(b)', '$(c)'],
    }
    const pod = { containers: [container] }
    const of = (spec: object) => shadowedVariables([object({ kind: 'Deployment', spec })], (n) => n !== 'b')
    expect(of({ template: { spec: pod } })).toEqual(['Deployment x: container main: a'])
    expect(of({ template: { spec: { containers: [{ ...container, env: [] }] } } })).toEqual([])
  })
})

describe('a path to a field', () => {
  const object = {
    spec: { a: 'x', n: 3, list: [{ p: 1 }, { p: 2 }, {}], none: null },
    metadata: { labels: { 'a/b': 'l' } },
  }
  it.each([
    ['spec.a', 'x'],
    ['.spec.a', 'x'],
    ['$.spec.n', '3'],
    ['metadata.labels["a/b"]', 'l'],
    ["metadata.labels['a/b']", 'l'],
    ['spec.list[0].p', '1'],
    ['spec.list[*].p', '[1,2]'],
    ['spec.list[9].p', undefined],
    ['spec.none', undefined],
    ['spec.constructor', undefined],
    ['spec.list[*].q', undefined],
    ['spec.list[1]', '{"p":2}'],
  ])('%s: %s', (path, text) => {
    const found = fieldPathOf(path)
    expect(found.ok && fieldText(object, found.value)).toBe(text)
  })
})
