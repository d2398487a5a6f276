import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { digestOf } from '../../../../kube/src/object/index.ts'
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import type { ModuleSpec } from '../../api/kinds/module/spec.ts'
import type { HubReader } from '../intake/resolvedsource.ts'
import { fault } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { resolveSource } from '../registry.ts'
import type { TemplateRequest } from './templaterequest.ts'

const HELM = {
  ignoreMissingValuesFiles: false,
  kubeVersion: '1.30.0',
  includeCRDs: true,
  tests: false,
  skipSchemaValidation: false,
  allowRandom: false,
}
const git: GitSource = { url: 'https://example.com/a', ref: { tag: 'v1' }, path: 'charts/web' }
const env = { name: 'env', git: { url: 'https://example.com/env', ref: { branch: 'main' } } }
const commits: Readonly<Record<string, string>> = {
  'https://example.com/a': '1'.repeat(40),
  'https://example.com/env': '2'.repeat(40),
}

function resolve(
  source: object,
  helm: object,
  over: { name?: string; render?: object; outside?: Partial<SourceFetcher> } = {},
) {
  const asked: TemplateRequest[] = []
  const outside: SourceFetcher = {
    commit: ({ url, ref }) => ok({ commit: commits[url]!, label: ref.tag ?? ref.branch ?? '' }),
    tree: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
    kustomized: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
    chart: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
    chartTree: () => err(fault('RenderFailed', { because: 'Tool', error: 'nobody asks' })),
    templated(question) {
      asked.push(question)
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
      return ok({ manifests: [{ object, origin: 'a' }], warnings: ['W_CAPABILITIES a'] })
    },
    ...over.outside,
  }
  const reading: HubReader = {
    namespace: 'platform',
    name: over.name ?? 'shop',
    find: ({ kind }) => ok({ kind, data: { 'values.yaml': '' } } as never),
    keyed: () => ok(digestOf),
  }
  const render = over.render ?? { namespace: 'prod', helm: { ...HELM, ...helm } }
  const resolved = resolveSource({ source, render } as unknown as ModuleSpec, reading, outside)
  return { resolved, asked }
}

const refusal = (...args: Parameters<typeof resolve>) => {
  const { resolved } = resolve(...args)
  return resolved.ok ? 'taken' : `${resolved.error.reason}: ${resolved.error.message}`
}

describe('a chart in Git', () => {
  it('is its commit, those of further repositories, and what is on the hub', () => {
    const from = { kind: 'ConfigMap', name: 'a', valuesKey: 'values.yaml', optional: false }
    const { resolved } = resolve({ git, refs: [env] }, { valuesFrom: [from, { ...from, kind: 'Secret' }] })
    expect(resolved).toMatchObject({
      value: {
        sourceRevision: `v1@sha1:${'1'.repeat(40)}`,
        sensitive: true,
        inputs: [
          { path: 'source.git', digest: `sha1:${'1'.repeat(40)}` },
          { path: 'source.refs[env]', digest: `sha1:${'2'.repeat(40)}` },
          { path: 'render.helm.valuesFrom[0]' },
          { path: 'render.helm.valuesFrom[1]' },
        ],
      },
    })
  })

  it('is asked for with all that it depends on, and warns', () => {
    const { resolved, asked } = resolve(
      { git, refs: [env], ignore: '*.md' },
      { valuesFiles: ['a.yaml', '$env/b.yaml'], values: { a: 1 }, apiVersions: ['x/v1'] },
    )
    const warned: string[] = []
    const made = resolved.ok && resolved.value.manifests((line) => warned.push(line))
    expect(made).toMatchObject({ ok: true, value: [{ origin: 'a' }] })
    expect(warned).toEqual(['W_CAPABILITIES a'])
    expect(asked).toMatchObject([
      {
        chart: { git, picked: { commit: '1'.repeat(40) } },
        directory: 'charts/web',
        ignore: '*.md',
        valuesFiles: [
          { path: 'charts/web/a.yaml' },
          { path: 'b.yaml', of: { git: { ...env.git, path: '.' }, picked: { commit: '2'.repeat(40) } } },
        ],
        options: { ...HELM, releaseName: 'shop', namespace: 'prod', apiVersions: ['x/v1'] },
        values: [{ text: '{"a":1}' }],
      },
    ])
    expect(Object.keys(asked[0]!.options).sort()).toEqual(
      [...Object.keys(HELM), 'apiVersions', 'namespace', 'releaseName'].sort(),
    )
  })

  it('is a secret where chance is allowed', () => {
    expect(resolve({ git }, { allowRandom: true }).resolved).toMatchObject({ value: { sensitive: true } })
    const { resolved } = resolve({ git }, {})
    expect(resolved.ok && 'sensitive' in resolved.value).toBe(false)
  })

  it.each<[string, Parameters<typeof resolve>, string]>([
    [
      'no namespace',
      [{ git }, {}, { render: { helm: HELM } }],
      'InvalidSpec: spec.render.namespace: must be set with helm',
    ],
    [
      'two ways to render',
      [{ git }, {}, { render: { helm: HELM, plain: {} } }],
      'InvalidSpec: spec.render: at most one of plain, kustomize, clusterGroup, helm',
    ],
    ['no files', [{ none: {} }, {}], 'InvalidSpec: spec.render.helm: requires source.helm or source.git'],
    ['no files', [{ none: {} }, {}], 'InvalidSpec: spec.render.helm: requires source.helm or source.git'],
    [
      'repositories for nothing',
      [{ git, refs: [env] }, {}, { render: {} }],
      'InvalidSpec: spec.source.refs: only for render.helm.valuesFiles',
    ],
    [
      'a name that is too long',
      [{ git }, {}, { name: 'a'.repeat(54) }],
      'InvalidSpec: spec.render.helm.releaseName: the name of this Module is longer than 53 characters; set a shorter one',
    ],
    [
      'a name of another ref',
      [{ git, refs: [env] }, { valuesFiles: ['$x/a'] }],
      'InvalidSpec: spec.render.helm.valuesFiles[0]: $x/a: spec.source.refs has no x; refs: $env',
    ],
    [
      'a ref with a bad URL',
      [{ git, refs: [{ ...env, git: { ...env.git, url: 'git@example.com:a/b' } }] }, {}],
      'InvalidSpec: spec.source.refs[0].git.url: "git@example.com:a/b" is not a URL; write ssh://git@example.com/a/b',
    ],
  ])('%s is refused', (_, args, text) => {
    expect(refusal(...args)).toBe(text)
  })

  it('whose further repository cannot be asked says which one it is', () => {
    const commit: SourceFetcher['commit'] = ({ url }) =>
      url === git.url
        ? ok({ commit: '1'.repeat(40), label: 'v1' })
        : err(
            fault(
              'SourceAuthFailed',
              { field: 'spec.source.git.secretRef', because: 'Secret', error: 'no key' },
              true,
            ),
          )
    expect(refusal({ git, refs: [env] }, {}, { outside: { commit } })).toBe(
      'SourceAuthFailed: spec.source.refs[0].git.secretRef: no key',
    )
  })
})
