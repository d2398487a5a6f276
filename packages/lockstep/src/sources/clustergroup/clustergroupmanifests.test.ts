import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { digestOf } from '../../../../kube/src/object/index.ts'
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import type { ModuleSpec } from '../../api/kinds/module/spec.ts'
import { fault, faultLines } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { resolveSource } from '../registry.ts'
import { clusterGroupManifests, clusterGroupManifestsOfTexts } from './clustergroupmanifests.ts'

const render = (...valuesFiles: string[]) => ({
  valuesFiles,
  applications: 'Objects' as const,
  sequencing: 'Jobs' as const,
  extraObjectWaits: true,
})

const tree = (files: Readonly<Record<string, string | Uint8Array>>): SourceTree => ({
  files: Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
  })),
  warnings: [],
})

const AT = {
  git: { url: 'https://git/p', ref: { branch: 'main' }, path: '.' },
  picked: { commit: '1'.repeat(40), label: 'main' },
}
const GLOBAL = 'global: {pattern: edge}\n'
const HUB = 'clusterGroup: {name: hub, argoProjects: [a], applications: {a: {name: a, path: b}}}\n'
const heard = (): [string[], (line: string) => void] => {
  const lines: string[] = []
  return [lines, (line) => lines.push(line)]
}

describe('values files of a tree', () => {
  const files = tree({
    'pattern/values-global.yaml': GLOBAL,
    'pattern/sub/values-hub.yaml': HUB,
    'pattern/charts/a.yaml': '[',
  })
  const of = (...names: string[]) =>
    clusterGroupManifests(render(...names), { tree: files, root: 'pattern', ...AT }, () => {})

  it('are read below its path, and nothing else', () => {
    const made = of('values-global.yaml', './sub/values-hub.yaml')
    expect(made).toMatchObject({ ok: true, value: [{ object: { metadata: { namespace: 'edge-hub' } } }, {}] })
  })
  it('make objects without null members', () => {
    const [, app] = (of('values-global.yaml', 'sub/values-hub.yaml') as { value: { object: object }[] }).value
    expect(JSON.stringify(app)).not.toContain('null')
    expect(app).toMatchObject({ object: { spec: { source: { path: 'b' } } } })
  })
  it('that are not there are named, with those that are', () => {
    for (const name of ['values-hub.yaml', 'sub', '../../values-hub.yaml', '/values-global.yaml'])
      expect(of('values-global.yaml', name)).toMatchObject({
        ok: false,
        error: {
          reason: 'PathMissing',
          message: `spec.render.clusterGroup.valuesFiles[1]: no file ${name} in the source; values files: values-global.yaml, sub/values-hub.yaml`,
        },
      })
  })
  it('that are no text are refused', () => {
    const bad = tree({ 'v.yaml': Uint8Array.of(0xff) })
    expect(clusterGroupManifests(render('v.yaml'), { tree: bad, root: '', ...AT }, () => {})).toMatchObject({
      ok: false,
      error: { reason: 'RenderFailed', message: 'v.yaml: is not UTF-8; save it as UTF-8', transient: false },
    })
  })
})

describe('a module', () => {
  const commit = '9b1c000000000000000000000000000000000000'
  const git = { url: 'https://example.com/p.git', ref: { branch: 'main' }, path: 'pattern' } as GitSource
  const resolve = (source: object, clusterGroup: object): unknown => {
    const outside: SourceFetcher = {
      commit: () => ok({ commit, label: 'main' }),
      tree: () =>
        ok(
          tree({
            'pattern/values-hub.yaml': HUB,
            'pattern/charts/broken.yaml': '[',
            'pattern/a.yaml': 'a: 1',
          }),
        ),
      kustomized: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
      templated: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
      chart: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
      chartTree: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
    }
    const spec = { source, render: { clusterGroup } } as unknown as ModuleSpec
    const reading = { namespace: 'a', name: 'm', find: () => ok(undefined), keyed: () => ok(digestOf) }
    const resolved = resolveSource(spec, reading, outside)
    if (!resolved.ok) return resolved.error.message
    const made = resolved.value.manifests()
    return made.ok ? made.value.map((m) => m.object.kind) : made.error.message
  }
  it('of Git has values files below its path, and takes nothing else for manifests', () => {
    expect(resolve({ git, ignore: 'values-*.yaml' }, render('values-hub.yaml'))).toEqual([
      'AppProject',
      'Application',
    ])
    expect(resolve({ git }, { ...render('values-hub.yaml'), applications: 'Skip' })).toEqual(['AppProject'])
    expect(resolve({ git }, render('charts/broken.yaml'))).toBe(
      'charts/broken.yaml:2:1: unexpected end of the stream within a flow collection; correct the YAML',
    )
  })
  it('of anything without files is refused', () => {
    for (const source of [{ none: {} }, { inline: { objects: [] } }, { secrets: [{ name: 'a' }] }])
      expect(resolve(source, render('values-hub.yaml'))).toBe(
        'spec.render.clusterGroup: requires the files of source.git or the keys of source.configMaps',
      )
  })
})

describe('values files of ConfigMaps', () => {
  const text = (origin: string, content: string) => ({ origin, text: content })
  const [one, two] = [text('ConfigMap a/x key g.yaml', GLOBAL), text('ConfigMap a/z key h.yaml', HUB)]

  it('are their keys', () => {
    const [lines, warn] = heard()
    const made = clusterGroupManifestsOfTexts(render('g.yaml', 'h.yaml'), [two, one], warn)
    expect(made).toMatchObject({ ok: true, value: [{ origin: 'spec.render.clusterGroup: object 1' }, {}] })
    expect(lines).toEqual([])
  })
  it('of one name are refused', () => {
    const again = text('ConfigMap a/other key g.yaml', GLOBAL)
    expect(clusterGroupManifestsOfTexts(render('g.yaml'), [one, again], () => {})).toMatchObject({
      ok: false,
      error: {
        message:
          'g.yaml: is in ConfigMap a/x key g.yaml and in ConfigMap a/other key g.yaml; rename one of them',
      },
    })
  })
  it('with problems are refused with all of them, twenty at most, and with none of their warnings', () => {
    const [lines, warn] = heard()
    const keys = Array.from({ length: 25 }, (_, i) => `k${i}: 1`).join(', ')
    const made = clusterGroupManifestsOfTexts(
      render('v.yaml'),
      [text('ConfigMap a/x key v.yaml', `clusterGroup: {${keys}}`)],
      warn,
    )
    expect(made).toMatchObject({ ok: false, error: { reason: 'RenderFailed' } })
    expect(made.ok ? [] : faultLines(made.error).split('\n').slice(-2)).toEqual([
      'ConfigMap a/x key v.yaml: clusterGroup.k4: unknown key; take it out',
      'and 5 more',
    ])
    expect(lines).toEqual([])
  })
  it('have warnings, and values of the spec above them', () => {
    const [lines, warn] = heard()
    const own = { values: { clusterGroup: { subscriptions: { a: { name: 'a', channel: '5.10' } } } } }
    clusterGroupManifestsOfTexts({ ...render('g.yaml'), ...own }, [one], warn)
    expect(lines).toEqual([
      'spec.render.clusterGroup.values: clusterGroup.subscriptions.a.channel: "5.10" becomes 5.1, since the chart writes it without quotes; use what reads as text',
    ])
  })
})
