import { describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../../../kube/src/env/node/nodeenv.ts'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { fault } from '../intake/sourcefailure.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { gatherTree } from './gathertree.ts'
import { kustomizeBuild } from './kustomizebuild.ts'
import { kustomizeReferencesOf } from './kustomizereferences.ts'
import { renamedNamespaces } from './renamednamespaces.ts'

const env = createNodeEnv(createSimEnv('kustomize').log)
const hasTool = (await env.processes.find('kustomize')) ?? (await env.processes.find('kubectl'))
if (!hasTool) process.stdout.write('skipped: neither kustomize nor kubectl is there\n')

const kustomization = (text: string) =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${text}`
const configMap = (name: string, value = '1') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`

const treeOf = (files: Readonly<Record<string, string>>): SourceTree => ({
  files: Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
  warnings: [],
})

/** Reads directories out of one map of files, as a repository would give them. */
const reader = (files: Readonly<Record<string, string>>) => async (directory: string) => {
  const below = Object.entries(files).filter(([p]) => directory === '' || p.startsWith(`${directory}/`))
  return below.length > 0
    ? ok(treeOf(Object.fromEntries(below)))
    : err(fault('PathMissing', { because: 'Directory', path: directory }))
}

async function build(files: Readonly<Record<string, string>>, root: string, render: object = {}) {
  const tree = await gatherTree(root, [], reader(files))
  if (!tree.ok) return tree.error
  const built = await kustomizeBuild(env, tree.value, root, render)
  return built.ok ? built.value.text : built.error
}

describe.skipIf(!hasTool)('kustomize', () => {
  it('builds bases beside the path, and theirs', async () => {
    const files = {
      'apps/web/kustomization.yaml': kustomization('resources: [../../base]\nnamePrefix: web-\n'),
      'base/kustomization.yaml': kustomization('resources: [cm.yaml, ../more]\n'),
      'base/cm.yaml': configMap('a'),
      'more/kustomization.yaml': kustomization('resources: [cm.yaml]\n'),
      'more/cm.yaml': configMap('b'),
      'other/cm.yaml': configMap('c'),
    }
    const built = await build(files, 'apps/web')
    expect(built).toContain('name: web-a')
    expect(built).toContain('name: web-b')
    expect(built).not.toContain('name: web-c')
  })

  it('puts what the module says on top', async () => {
    const files = {
      'app/kustomization.yaml': kustomization('resources: [d.yaml]\n'),
      'app/d.yaml':
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n      containers: [{name: main, image: "web:1"}]\n',
    }
    const built = await build(files, 'app', {
      targetNamespace: 'shop',
      nameSuffix: '-x',
      images: [{ name: 'web', newTag: '2' }],
      commonMetadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
      patches: [{ patch: '- {op: add, path: /spec/replicas, value: 3}', target: { kind: 'Deployment' } }],
    })
    for (const text of ['namespace: shop', 'name: d-x', 'image: web:2', 'team: a', 'note: b', 'replicas: 3'])
      expect(built).toContain(text)
  })

  it('targetNamespace keeps the names of Namespaces, and sets all other namespaces as kustomize does', async () => {
    const files = (namespaces: readonly string[], namespace = '') => ({
      'app/kustomization.yaml': kustomization(`resources: [all.yaml]\n${namespace}`),
      'app/all.yaml': [
        ...namespaces.map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`),
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop-cache}\n',
        configMap('other'),
        'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: app, namespace: shop-cache}\n',
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: app}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\nsubjects: [{kind: ServiceAccount, name: app, namespace: shop-cache}, {kind: ServiceAccount, name: default, namespace: x}, {kind: ServiceAccount, name: foreign, namespace: x}]\n',
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: app}\n',
        'apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.a.b}\nspec: {service: {name: x, namespace: shop-cache}}\n',
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.a.b}\nspec: {conversion: {webhook: {clientConfig: {service: {name: x, namespace: shop-cache}}}}}\n',
        'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: app}\nwebhooks: [{name: w.a.b, clientConfig: {service: {name: x, namespace: shop-cache}}}]\n',
        'apiVersion: a.b/v1\nkind: A\nmetadata: {name: a}\n',
      ].join('---\n'),
    })
    const byKustomize = await build(files(['shop-cache'], 'namespace: team-b\n'), 'app')
    const ours = await build(files(['shop-cache']), 'app', { targetNamespace: 'team-b' })
    expect(byKustomize).toContain('kind: Namespace\nmetadata:\n  name: team-b\n')
    expect(ours).toBe((byKustomize as string).replace('name: team-b\n', 'name: shop-cache\n'))
    const several = await build(files(['shop-cache', 'shop-db', 'team-b']), 'app', {
      targetNamespace: 'team-b',
      namePrefix: 'x-',
    })
    for (const name of ['shop-cache', 'shop-db', 'team-b'])
      expect(several).toContain(`kind: Namespace\nmetadata:\n  name: ${name}\n`)
  })

  it('without a kustomization file, takes every manifest; a directory with its own is one', async () => {
    const files = {
      'app/a.yaml': configMap('a'),
      'app/deep/b.yml': configMap('b'),
      'app/own/kustomization.yaml': kustomization('resources: [c.yaml]\nnamePrefix: own-\n'),
      'app/own/c.yaml': configMap('c'),
      'app/own/left.yaml': configMap('left'),
      'app/README.md': 'no manifest',
    }
    const built = await build(files, 'app')
    for (const name of ['a', 'b', 'own-c']) expect(built).toContain(`name: ${name}\n`)
    expect(built).not.toContain('left')
  })

  it('says what is wrong with the file it is in, and nothing of our directories', async () => {
    const files = { 'app/kustomization.yaml': kustomization('resources: [none.yaml]\n') }
    const failed = await build(files, 'app')
    expect(failed).toMatchObject({ reason: 'RenderFailed', message: expect.stringContaining('none.yaml') })
    expect((failed as { message: string }).message).not.toContain('lockstep-kustomize-')
  })

  it('reads no file outside the directories of its kustomizations', async () => {
    const files = {
      'app/kustomization.yaml': kustomization('configMapGenerator: [{name: x, files: [../secret.txt]}]\n'),
      'secret.txt': 'x',
    }
    expect(await build(files, 'app')).toMatchObject({ reason: 'RenderFailed' })
  })
})

describe('warnings of renamed Namespaces', () => {
  const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
  const named = kustomization('resources: [all.yaml]\nnamespace: team-b\n')

  it.each<[string, Readonly<Record<string, string>>, string, readonly string[]]>([
    [
      'by the author',
      { 'app/kustomization.yaml': named, 'app/all.yaml': `${configMap('a')}---\n${namespace('shop')}` },
      namespace('team-b'),
      ['W_NAMESPACE_RENAMED app/kustomization.yaml:4: namespace: team-b renames Namespace shop'],
    ],
    [
      'of a base in a list',
      {
        'app/kustomization.yaml': named,
        'base/all.yaml': `apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Namespace, metadata: {name: shop}}]\n`,
      },
      namespace('team-b'),
      ['W_NAMESPACE_RENAMED app/kustomization.yaml:4: namespace: team-b renames Namespace shop'],
    ],
    [
      'not one of that name',
      { 'app/kustomization.yaml': named, 'app/all.yaml': namespace('team-b') },
      namespace('team-b'),
      [],
    ],
    [
      'not without a Namespace',
      { 'app/kustomization.yaml': named, 'app/all.yaml': configMap('a') },
      configMap('a'),
      [],
    ],
    [
      'not by a kustomization without namespace',
      {
        'app/kustomization.yaml': kustomization('resources: [all.yaml]\n'),
        'app/all.yaml': namespace('shop'),
      },
      namespace('shop'),
      [],
    ],
    [
      'not of a file with a template',
      { 'app/kustomization.yaml': named, 'app/chart.yaml': '{{ if }}' },
      configMap('a'),
      [],
    ],
  ])('%s', (_, files, built, warnings) => {
    expect(renamedNamespaces(treeOf(files), built)).toEqual(warnings)
  })

  it.skipIf(!hasTool)('come with the build', async () => {
    const files = { 'app/kustomization.yaml': named, 'app/all.yaml': namespace('shop') }
    const built = await kustomizeBuild(env, treeOf(files), 'app', {})
    expect(built).toMatchObject({
      ok: true,
      value: { warnings: [expect.stringContaining('renames Namespace shop')] },
    })
  })
})

describe('what kustomize could do, and does not here', () => {
  it.each<[string, string, number]>([
    ['resources: [https://example.com/a.yaml]', 'remote base', 3],
    ['resources: ["github.com/a/b//c?ref=v1"]', 'remote base', 3],
    ['resources:\n  - a.yaml\n  - git@example.com:a/b.git', 'remote base', 5],
    ['bases: ["ssh://git@example.com/a"]', 'remote base', 3],
    ['components: ["https://example.com/a"]', 'remote base', 3],
    ['openapi: {path: "https://example.com/a"}', 'remote base', 3],
    ['patches:\n  - {path: "https://example.com/a"}', 'remote base', 4],
    ['helmCharts: [{name: x}]', 'rendered by render.helm', 3],
    ['generators: [gen.yaml]', 'can start programs', 3],
    ['transformers: [t.yaml]', 'can start programs', 3],
  ])('%s', (text, message, line) => {
    const { problems } = kustomizeReferencesOf(kustomization(text))
    expect(problems).toMatchObject([{ line, message: expect.stringContaining(message) }])
    expect(problems.map((p) => p.base !== undefined)).toEqual([message === 'remote base'])
  })

  it('is told with its file and line', async () => {
    const files = { 'app/kustomization.yaml': kustomization('resources:\n  - https://example.com/a\n') }
    expect(await gatherTree('app', [], reader(files))).toMatchObject({
      error: {
        reason: 'RemoteBaseRefused',
        message: expect.stringMatching(/^app\/kustomization\.yaml:4: resources\.0: https:/),
      },
    })
  })

  it('bases that lead out of the repository are refused', async () => {
    const files = { 'app/kustomization.yaml': kustomization('resources: [../../etc]\n') }
    expect(await gatherTree('app', [], reader(files))).toMatchObject({ error: { reason: 'PathEscapes' } })
  })
})
