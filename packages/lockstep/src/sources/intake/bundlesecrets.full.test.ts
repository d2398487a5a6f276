import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import { canonicalJson, digestOf } from '../../../../kube/src/object/index.ts'
import { type Bundle, bundleFromSecrets, bundleOf, bundleSecrets, isSensitive } from './bundlesecrets.ts'
import { normalize } from './normalize.ts'
import { renderFiles } from './renderfiles.ts'
import type { TreeFile } from './sourcetree.ts'

const file = (path: string, text: string): TreeFile => ({ path, bytes: new TextEncoder().encode(text) })

/** What a tree of these files becomes. */
function bundled(files: readonly TreeFile[]): Bundle {
  const rendered = renderFiles({ files, warnings: [] })
  if (!rendered.ok) throw new Error(rendered.error.message)
  const objects = normalize(rendered.value)
  if (!objects.ok) throw new Error(objects.error.message)
  return bundleOf(objects.value, isSensitive(objects.value), digestOf)
}

/** Each with the one canonical line that it stands for; none: it is dropped. */
const cases: readonly [string, string, readonly string[]][] = [
  [
    'a typed list is its items',
    'apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a, namespace: ns}}, {metadata: {name: b, namespace: ns}}]',
    [
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns"}}',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"ns"}}',
    ],
  ],
  [
    'status and what a server owns are dropped, nulls of fields stay',
    'apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: ns, uid: u, creationTimestamp: null, managedFields: []}\nspec: {clusterIP: null}\nstatus: {loadBalancer: {}}',
    [
      '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"ns"},"spec":{"clusterIP":null}}',
    ],
  ],
  [
    'stringData becomes data',
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\ndata: {a: eA==}\nstringData: {b: "y", a: "z"}',
    [
      '{"apiVersion":"v1","data":{"a":"eg==","b":"eQ=="},"kind":"Secret","metadata":{"name":"s","namespace":"ns"}}',
    ],
  ],
  [
    'a bare = is a string',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, namespace: ns}\ndata: {op: =}',
    ['{"apiVersion":"v1","data":{"op":"="},"kind":"ConfigMap","metadata":{"name":"e","namespace":"ns"}}'],
  ],
  [
    'equal twins are one',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: t}}\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: t}',
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"}}'],
  ],
  ['what only tools read is dropped', 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization', []],
  ['empty documents are none', '---\n# nothing\n---\n', []],
]

describe('canonical objects', () => {
  it.each(cases)('%s', (_, text, lines) => {
    expect(bundled([file('a.yaml', text)]).objects.map((o) => canonicalJson(o))).toEqual(lines)
  })

  it('do not depend on names and order of files, nor on how their documents are spread', () => {
    const documents = cases.flatMap(([, text]) => text.split('\n---\n'))
    const digest = bundled(documents.map((d, i) => file(`${i}.yaml`, d))).digest
    const spread = fc.shuffledSubarray(documents, { minLength: documents.length })
    assertProperty(
      fc.property(spread, fc.integer({ min: 1, max: 5 }), fc.string(), (all, size, name) => {
        const files: TreeFile[] = []
        for (let i = 0; i < all.length; i += size)
          files.push(file(`${name}${i}.yaml`, all.slice(i, i + size).join('\n---\n')))
        expect(bundled(files).digest).toBe(digest)
      }),
    )
  })
})

describe('a bundle as Secrets', () => {
  /** ConfigMaps of 1.2 MB that hardly pack. */
  const noisy = (count: number): Bundle =>
    bundleOf(
      Array.from({ length: count }, (_, i) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `c${i}`, namespace: 'ns' },
        data: { noise: randomBytes(900_000).toString('base64') },
      })),
      false,
      digestOf,
    )
  const bundle = noisy(3)
  const secrets = () => {
    const made = bundleSecrets(bundle, 'platform')
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  }

  it('comes back as it was, in any order of its shards', () => {
    const all = secrets()
    expect(all.length).toBeGreaterThan(2)
    for (const s of all) expect(JSON.stringify(s.data).length).toBeLessThan(1024 * 1024 * (4 / 3))
    expect(bundleFromSecrets(bundle.digest, [...all].reverse())).toEqual({ ok: true, value: bundle })
  })

  it('is created index last: without it, there is no bundle', () => {
    const all = secrets()
    expect(all.at(-1)?.metadata.name).toMatch(/-0$/)
    expect(bundleFromSecrets(bundle.digest, all.slice(0, -1))).toMatchObject({
      error: { reason: 'BundleLost' },
    })
  })

  it.each<[string, (all: ReturnType<typeof secrets>) => void]>([
    ['a shard is gone', (all) => void all.shift()],
    [
      'a shard has other bytes',
      (all) => {
        all[0] = { ...all[0]!, data: { data: btoa('other') } }
      },
    ],
    [
      'two shards are swapped',
      (all) => {
        const [a, b] = [all[0]!, all[1]!]
        all[0] = { ...a, data: b.data! }
        all[1] = { ...b, data: a.data! }
      },
    ],
    [
      'a shard is cut',
      (all) => {
        all[0] = { ...all[0]!, data: { data: all[0]!.data!.data!.slice(0, 1000) } }
      },
    ],
    [
      'the index is another bundle’s',
      (all) => {
        const other = bundleSecrets(bundleOf([], false, digestOf), 'platform')
        if (other.ok) all[all.length - 1] = { ...all.at(-1)!, data: other.value[0]!.data! }
      },
    ],
  ])('%s: BundleCorrupt, and nothing of it is used', (_, damage) => {
    const all = secrets()
    damage(all)
    expect(bundleFromSecrets(bundle.digest, all)).toMatchObject({
      ok: false,
      error: { reason: 'BundleCorrupt' },
    })
  })

  it('that would fill more Secrets than it may is refused with its size', () => {
    const made = bundleSecrets(noisy(17), 'platform')
    expect(made).toMatchObject({ ok: false, error: { reason: 'BundleTooLarge' } })
  })
})
