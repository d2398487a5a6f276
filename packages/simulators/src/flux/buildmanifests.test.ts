import { describe, expect, it } from 'vitest'
import { at, type KubeObject } from '../../../kube/src/object/index.ts'
import { buildManifests, objectsAt, type Variables } from './buildmanifests.ts'
import type { KustomizationSpec } from './fluxkind.ts'
import { config } from './playground.cases.ts'

const spec = (more: Partial<KustomizationSpec> = {}): KustomizationSpec => ({
  interval: '1m',
  prune: true,
  sourceRef: { kind: 'GitRepository', name: 'x' },
  postBuild: {},
  ...more,
})
const v = (text: string): string => `$${text}`
const built = (data: string, variables: Variables, more: Partial<KustomizationSpec> = {}) => {
  const done = buildManifests([config('a', { data })], spec(more), variables)
  return done.ok ? at(done.value[0], 'data', 'data') : done.error
}

describe('variables', () => {
  const values = { name: 'x', empty: '' }
  const cases: readonly [text: string, out: string][] = [
    ['no variable', 'no variable'],
    [v('{name}'), 'x'],
    [`a-${v('{name}')}-b`, 'a-x-b'],
    [v('{other:-default}'), 'default'],
    [v('{other:=default}'), 'default'],
    [v('{empty:-default}'), 'default'],
    [v('{empty}'), ''],
    [v(v('{name}')), v('{name}')],
    [v('name'), v('name')],
  ]
  it.each(cases)('%s', (text, out) => {
    expect(built(`<${text}>`, { values, strict: true })).toBe(`<${out}>`)
  })
  it('one that is missing is an error, unless nobody minds', () => {
    const text = `<${v('{other}')}>`
    expect(built(text, { values, strict: true })).toBe(
      `post build failed for 'ConfigMap/a': variable substitution failed: variable not set (strict mode): "other"`,
    )
    expect(built(text, { values, strict: false })).toBe('<>')
  })
  it('nothing is put in where there are no variables at all, or an object does not want any', () => {
    const text = v('{other}')
    expect(built(text, { values: {}, strict: true })).toBe(text)
    expect(
      built(text, { values: {}, strict: true }, { postBuild: { substituteStrategy: 'Always' } }),
    ).toContain('not set')
    const off = { annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' } }
    const done = buildManifests([config('a', { data: text }, off)], spec(), { values, strict: true })
    expect(done).toMatchObject({ ok: true, value: [{ data: { data: text } }] })
  })
  it('a value may change what a text is', () => {
    expect(built(v('{name}'), { values: { name: '1' }, strict: true })).toBe(1)
    expect(built(v('{name}'), { values: { name: '[' }, strict: true })).toContain('YAMLToJSON')
  })
})

it('names get what is in front of and behind them, but those of an API', () => {
  const objects = [config('a', {}), { ...config('b', {}), kind: 'CustomResourceDefinition' }]
  const done = buildManifests(objects, spec({ namePrefix: 'p-', nameSuffix: '-s' }), {
    values: {},
    strict: true,
  })
  expect(done.ok && done.value.map((o) => o.metadata.name)).toEqual(['p-a-s', 'b'])
})

describe('folders', () => {
  const holding = (name: string): KubeObject[] => [config(name, {})]
  const content = {
    objects: {
      '': holding('root'),
      apps: holding('apps'),
      'apps/front': holding('front'),
      apps2: holding('apps2'),
    },
  }
  const cases: readonly [path: string, names: string[] | undefined][] = [
    ['', ['root', 'apps', 'front', 'apps2']],
    ['./', ['root', 'apps', 'front', 'apps2']],
    ['./apps', ['apps', 'front']],
    ['apps/front/', ['front']],
    ['nowhere', undefined],
  ]
  it.each(cases)('%s', (path, names) => {
    expect(objectsAt(content, path)?.map((o) => o.metadata.name)).toEqual(names)
  })
})
