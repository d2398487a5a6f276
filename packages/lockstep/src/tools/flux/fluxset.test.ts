import { describe, expect, it } from 'vitest'
import { positionOf } from './fluxmanifest.ts'
import { type FluxSet, orderOf, readFlux } from './fluxset.ts'
import { unitText } from './fluxunit.ts'

const unit = (name: string, needs: readonly string[] = [], namespace = 'apps'): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: ${name}
${namespace && `  namespace: ${namespace}\n`}spec:
  sourceRef: { kind: GitRepository, name: fleet }
  dependsOn:
${needs.map((n) => `    - name: ${n}\n`).join('') || '    []\n'}`

const read = (text: string, file = 'x.yaml'): FluxSet => readFlux([{ file, text }])
const names = (units: readonly { readonly name: string }[] | undefined) => units?.map((u) => u.name)

/** What each edge is found to mean. */
const edges = (set: FluxSet): string[] =>
  set.units.flatMap((u) =>
    u.edges.map((e) => {
      const to = set.dependency(u, e)
      return `${u.name} -> ${to ? `${unitText(to)} in ${to.manifest.document.file}` : 'nothing'}`
    }),
  )

describe('a set of Flux objects', () => {
  it('knows the place of every field, whatever stands before it', () => {
    const text = `# first\n${unit('a')}---\nkind: List\napiVersion: v1\nitems:\n- ${unit('b', ['a']).replaceAll('\n', '\n  ')}\n`
    const set = read(text)
    const b = set.units[1]!
    expect(names(set.units)).toEqual(['a', 'b'])
    const name = positionOf(b.manifest, [...b.edges[0]!.path, 'name'])
    expect(name).toEqual({ file: 'x.yaml', line: 23, column: 15 })
    expect(text.split('\n')[22]).toBe('      - name: a')
    expect(positionOf(b.manifest, ['spec', 'sourceRef'], 'key')).toMatchObject({ line: 21, column: 5 })
    expect(positionOf(b.manifest, ['spec', 'sourceRef', 'namespace'])).toMatchObject({ line: 21, column: 16 })
  })

  it('reads line ends of Windows, anchors and merged mappings', () => {
    const text = [
      'apiVersion: kustomize.toolkit.fluxcd.io/v1',
      'kind: Kustomization',
      'metadata: {name: b}',
      'x: &common {sourceRef: {kind: Bucket, name: s}}',
      'deps: &deps',
      '- name: a',
      'spec:',
      '  <<: *common',
      '  dependsOn: *deps',
      '',
    ].join('\r\n')
    const [b] = read(text).units
    expect(b).toMatchObject({ source: { kind: 'Bucket', name: 's' }, edges: [{ name: 'a' }] })
    expect(positionOf(b!.manifest, b!.edges[0]!.path)).toMatchObject({ line: 9, column: 14 })
    expect(positionOf(b!.manifest, b!.source!.path)).toMatchObject({ line: 8, column: 7 })
  })

  it('reads on behind a broken document', () => {
    const set = read(
      `${unit('a')}---\nkind: [\n---\nx: |\n ---\n --- no marker\n---\n${unit('b')}...\n{{ if .x }\n---\n${unit('c')}`,
    )
    expect(names(set.units)).toEqual(['a', 'b', 'c'])
    expect(set.broken.map((b) => `${b.line}:${b.column}`)).toEqual(['12:1', '28:1'])
    expect(positionOf(set.units[2]!.manifest, ['metadata', 'name'])).toMatchObject({ line: 32, column: 9 })
  })

  it.each<[string, string, string, string]>([
    ['its own namespace', unit('a'), 'a', 'Kustomization apps/a in x.yaml'],
    [
      'another that is written',
      unit('a', [], 'infra'),
      'a\n      namespace: infra',
      'Kustomization infra/a in x.yaml',
    ],
    ['another that is not written', unit('a', [], 'infra'), 'a', 'nothing'],
    ['one that no manifest names', unit('a', [], ''), 'a', 'Kustomization a in x.yaml'],
    [
      'a unit of the other kind',
      unit('a').replace('kustomize.', 'helm.').replace('Kustomization', 'HelmRelease'),
      'a',
      'nothing',
    ],
  ])('finds an edge in %s', (_, a, name, to) => {
    expect(
      edges(read(`${a.replace(/v1$/m, (v) => (a.includes('helm.') ? 'v2' : v))}---\n${unit('b', [name])}`)),
    ).toEqual([`b -> ${to}`])
  })

  it('means the nearest of several clusters', () => {
    const files = ['prod', 'test'].flatMap((cluster) => [
      { file: `clusters/${cluster}/infra/a.yaml`, text: unit('a') },
      { file: `clusters/${cluster}/apps/b.yaml`, text: unit('b', ['a']) },
    ])
    expect(edges(readFlux(files))).toEqual([
      'b -> Kustomization apps/a in clusters/prod/infra/a.yaml',
      'b -> Kustomization apps/a in clusters/test/infra/a.yaml',
    ])
  })

  it('orders units, and names a shortest cycle', () => {
    const good = read(
      [unit('c', ['a', 'b', 'b']), unit('b', ['a']), unit('a'), unit('d', ['gone'])].join('---\n'),
    )
    expect(names(orderOf(good).order)).toEqual(['a', 'd', 'b', 'c'])
    const bad = orderOf(
      read(
        [unit('z', ['a']), unit('a', ['b', 'c']), unit('b', ['c']), unit('c', ['a']), unit('free')].join(
          '---\n',
        ),
      ),
    )
    expect([names(bad.order), names(bad.cycle)]).toEqual([['free'], ['a', 'c', 'a']])
  })

  it('reads 10 MB, and points into it', () => {
    const big =
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  x: |\n${'    0123456789abcdef\n'.repeat(500)}---\n`.repeat(
        1000,
      )
    const set = read(`${big}${unit('last')}`)
    expect(set.manifests).toHaveLength(1001)
    expect(positionOf(set.units[0]!.manifest, ['metadata', 'name'])).toMatchObject({
      line: 506 * 1000 + 4,
      column: 9,
    })
  })
})
