import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { bytesToBase64, type Digest, digestOf, sha256Hex } from '../../../../kube/src/object/index.ts'
import type { HelmRender } from '../../api/kinds/module/renderspec.ts'
import type { HubReader } from '../intake/resolvedsource.ts'
import { fault } from '../intake/sourcefailure.ts'
import { hubValues } from './hubvalues.ts'
import { targetKeys } from './targetkeys.ts'
import type { GitCheckout } from './templaterequest.ts'
import { valuesFilesOf } from './valuesfiles.ts'

describe('targetPath', () => {
  it.each<[string, readonly string[]]>([
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['podAnnotations.example\\.com/a', ['podAnnotations', 'example.com/a']],
    ['a\\\\b', ['a\\b']],
    ['a\\[0\\]', ['a[0]']],
    ['a b.-', ['a b', '-']],
    ['__proto__.x', ['__proto__', 'x']],
  ])('%s', (path, keys) => {
    expect(targetKeys(path)).toEqual(ok(keys))
  })
  it.each<[string, string]>([
    ['a..b', '"a..b" has an empty key; write a.b'],
    ['.a', '".a" has an empty key; write a.b'],
    ['a.', '"a." has an empty key; write a.b'],
    ['a[0].b', '"a[0].b" names an item of a list; write the whole list, as YAML, without targetPath'],
    ['a=b', '"a=b": = has no meaning here; write \\='],
  ])('%s is refused', (path, text) => {
    expect(targetKeys(path)).toEqual(err(text))
  })
})

describe('valuesFiles', () => {
  const env = { git: { url: 'https://x/env' }, picked: { commit: '1', label: 'main' } } as GitCheckout
  const of = (name: string, directory = 'apps/web') => {
    const found = valuesFilesOf([name], directory, new Map([['env', env]]))
    if (!found.ok) return `${found.error.reason}: ${found.error.message}`
    const [file] = found.value
    return file!.of === env ? `env:${file!.path}` : file!.path
  }
  it.each([
    ['values-prod.yaml', 'apps/web/values-prod.yaml'],
    ['./a//b.yaml', 'apps/web/a/b.yaml'],
    ['../../env/prod.yaml', 'env/prod.yaml'],
    ['/env/prod.yaml', 'env/prod.yaml'],
    ['$env/prod.yaml', 'env:prod.yaml'],
    [
      '$env/../x/../prod.yaml',
      'PathEscapes: spec.render.helm.valuesFiles[0]: $env/../x/../prod.yaml is outside the repository',
    ],
    ['$env/a/../prod.yaml', 'env:prod.yaml'],
    ['$env', 'InvalidSpec: spec.render.helm.valuesFiles[0]: $env: not a file'],
    [
      '$other/a.yaml',
      'InvalidSpec: spec.render.helm.valuesFiles[0]: $other/a.yaml: spec.source.refs has no other; refs: $env',
    ],
    [
      '../../../a.yaml',
      'PathEscapes: spec.render.helm.valuesFiles[0]: ../../../a.yaml is outside the repository',
    ],
    ['/../a.yaml', 'PathEscapes: spec.render.helm.valuesFiles[0]: /../a.yaml is outside the repository'],
    ['../..', 'InvalidSpec: spec.render.helm.valuesFiles[0]: ../..: not a file'],
    [
      'https://example.com/a.yaml',
      'InvalidSpec: spec.render.helm.valuesFiles[0]: https://example.com/a.yaml: URLs are not fetched; commit the file',
    ],
  ])('%s', (name, expected) => {
    expect(of(name)).toBe(expected)
  })
  it('of a chart at the root', () => {
    expect(of('a.yaml', '')).toBe('a.yaml')
    expect(of('../a.yaml', '')).toMatch(/^PathEscapes/)
  })
})

describe('values on the hub', () => {
  const bytes = (text: string) => bytesToBase64(new TextEncoder().encode(text))
  const there: Record<string, object> = {
    'ConfigMap/base': {
      data: {
        'values.yaml': 'a: 1\n',
        host: 'example.com',
        two: 'a: 1\n---\nb: 2\n',
        list: '- a',
        bad: 'a: [hunter2',
      },
    },
    'Secret/db': {
      data: {
        'values.yaml': bytes('password: hunter2\n'),
        raw: bytes('hun\nter"2'),
        bad: bytes('a: [hunter2'),
        bin: '/w==',
      },
    },
  }
  const keyed = (domain: string, value: unknown) =>
    `v1:kid:${sha256Hex(digestOf(`keyed ${domain}`, value))}` as Digest
  const reading: HubReader = {
    namespace: 'platform',
    name: 'web',
    find: ({ kind, name }) => ok(there[`${kind}/${name}`] as never),
    keyed: () => ok(keyed),
  }
  const from = (kind: string, name: string, more: object = {}) => ({
    kind,
    name,
    valuesKey: 'values.yaml',
    optional: false,
    ...more,
  })
  const of = (valuesFrom: readonly object[], values?: unknown, over: Partial<HubReader> = {}) =>
    hubValues({ valuesFrom, values } as HelmRender, { ...reading, ...over })
  const refused = (valuesFrom: readonly object[], over?: Partial<HubReader>) => {
    const found = of(valuesFrom, undefined, over)
    return found.ok ? 'taken' : `${found.error.reason}: ${found.error.message}`
  }

  it('come in the order of the list, those of the module last', () => {
    const found = of([from('Secret', 'db'), from('ConfigMap', 'base')], { a: { b: [1, null] } })
    expect(found).toMatchObject({
      ok: true,
      value: {
        secret: true,
        values: [
          { origin: 'Secret platform/db key values.yaml', text: 'password: hunter2\n', secret: true },
          { origin: 'ConfigMap platform/base key values.yaml', text: 'a: 1\n' },
          { origin: 'spec.render.helm.values', text: '{"a":{"b":[1,null]}}' },
        ],
        inputs: [
          {
            path: 'render.helm.valuesFrom[0]',
            digest: keyed('render/helm/valuesFrom', 'password: hunter2\n'),
          },
          { path: 'render.helm.valuesFrom[1]', digest: digestOf('render/helm/valuesFrom', 'a: 1\n') },
        ],
      },
    })
  })
  it('are texts at their target, whatever is in them', () => {
    const found = of([
      from('ConfigMap', 'base', { valuesKey: 'host', targetPath: 'ingress.hosts\\.main' }),
      from('Secret', 'db', { valuesKey: 'raw', targetPath: 'db.password' }),
    ])
    expect(found.ok && found.value.values.map((v) => JSON.parse(v.text))).toEqual([
      { ingress: { 'hosts.main': 'example.com' } },
      { db: { password: 'hun\nter"2' } },
    ])
  })
  it('need not be there where they are optional, and are no input then', () => {
    expect(of([from('Secret', 'none', { optional: true }), from('ConfigMap', 'base')])).toMatchObject({
      value: { secret: true, inputs: [{ path: 'render.helm.valuesFrom[1]' }], values: [{ text: 'a: 1\n' }] },
    })
    expect(refused([from('ConfigMap', 'none')])).toBe(
      'ResourceNotFound: spec.render.helm.valuesFrom[0]: ConfigMap platform/none does not exist',
    )
    expect(refused([from('ConfigMap', 'base', { valuesKey: 'x', optional: true })])).toBe(
      'ResourceNotFound: spec.render.helm.valuesFrom[0]: ConfigMap platform/base has no key x; keys: values.yaml, host, two, list, bad',
    )
  })
  it('are one map of values, and what is wrong with a Secret shows nothing of it', () => {
    const of = (kind: string, name: string, valuesKey: string) => refused([from(kind, name, { valuesKey })])
    expect(of('ConfigMap', 'base', 'two')).toMatch(/key two: 2 documents; values must be one document$/)
    expect(of('ConfigMap', 'base', 'list')).toMatch(/key list: must be a map of values$/)
    expect(of('ConfigMap', 'base', 'host')).toMatch(/key host: must be a map of values$/)
    expect(of('ConfigMap', 'base', 'bad')).toMatch(/key bad:\d+:\d+: /)
    expect(of('Secret', 'db', 'bad')).toMatch(
      /^RenderFailed: .* Secret platform\/db key bad:\d+:\d+: not valid YAML$/,
    )
    expect(of('Secret', 'db', 'bin')).toMatch(/key bin: not UTF-8; save it as UTF-8$/)
  })
  it('of a Secret wait for the key of their digests', () => {
    const lost = {
      keyed: () =>
        err(
          fault(
            'HmacKeyMissing',
            { secret: 'lost', because: 'NoSecret', stored: 'all', command: 'none' },
            true,
          ),
        ),
    }
    expect(refused([from('Secret', 'db')], lost)).toMatch(/^HmacKeyMissing: lost does not exist/)
    expect(refused([from('ConfigMap', 'base')], lost)).toBe('taken')
  })
})
