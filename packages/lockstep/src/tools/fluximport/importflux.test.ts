/** What fields of Flux become, and what is said of those that become nothing. */
import { describe, expect, it } from 'vitest'
import { at, type JsonValue, parseYamlStream, valuePathText } from '../../../../kube/src/object/index.ts'
import { importedModuleText } from './importedmodule.ts'
import { type FluxImport, type ImportOptions, importFlux } from './importflux.ts'

const OPTIONS: ImportOptions = { gitProblem: () => undefined }

const repo = (spec = '', name = 'repo', namespace = 'flux-system') => `---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  url: https://example.com/fleet
${spec}`
const unit = (name: string, spec = '', namespace = 'flux-system') => `---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  path: ./${name}
  prune: true
  sourceRef: {kind: GitRepository, name: repo, namespace: flux-system}
${spec}`
const made = (text: string, o: ImportOptions = OPTIONS): FluxImport =>
  importFlux([{ file: 'x.yaml', text }], o)
const moduleOf = (m: FluxImport, name: string) => m.modules.find((x) => x.name === name)
const listed = (m: FluxImport, level = 'loss') =>
  m.listed.filter((l) => l.level === level).map((l) => `${valuePathText(l.path)} of ${l.of}: ${l.why}`)

describe('a Kustomization with its GitRepository', () => {
  it('is one Module', () => {
    const m = made(repo('  ref: {branch: main}\n  interval: 1m0s\n') + unit('web', '  interval: 10m\n'))
    expect(m.listed).toEqual([])
    expect(m.modules.map((x) => x.file)).toEqual(['flux-system.web.yaml'])
    expect(m.modules[0]!.module).toEqual({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'web', namespace: 'flux-system' },
      spec: {
        source: {
          git: { url: 'https://example.com/fleet', ref: { branch: 'main' }, path: 'web' },
          interval: '1m0s',
        },
        render: { kustomize: {} },
        targets: { hub: true },
        apply: { prune: true, deletionPolicy: 'Delete', driftInterval: '10m' },
      },
    })
  })

  it.each<[field: string, to: string, value: JsonValue]>([
    ['path: ""', 'source.git.path', '.'],
    ['path: /apps/./web/', 'source.git.path', 'apps/web'],
    ['prune: false', 'apply.deletionPolicy', 'Orphan'],
    ['deletionPolicy: WaitForTermination', 'apply.deletionPolicy', 'Delete'],
    ['deletionPolicy: Orphan', 'apply.deletionPolicy', 'Orphan'],
    ['force: true', 'apply.replaceImmutable', true],
    ['timeout: 1m30s', 'health.timeoutSeconds', 90],
    ['timeout: 1500ms', 'health.timeoutSeconds', 2],
    ['targetNamespace: web', 'render.kustomize.targetNamespace', 'web'],
    ['commonMetadata: {labels: {a: b}}', 'render.kustomize.commonMetadata.labels', { a: 'b' }],
    [
      'patches: [{patch: p, target: {kind: Pod}}]',
      'render.kustomize.patches',
      [{ patch: 'p', target: { kind: 'Pod' } }],
    ],
    ['kubeConfig: {secretRef: {name: eu}}', 'targets.clusters', ['eu']],
    [
      'healthCheckExprs: [{apiVersion: v1, kind: Pod, current: "true"}]',
      'health.expressions',
      [{ apiVersion: 'v1', kind: 'Pod', current: 'true' }],
    ],
    [
      'ignore: [{paths: [/spec/replicas], target: {kind: Deployment}}]',
      'apply.ignore',
      [{ target: { kind: 'Deployment' }, paths: ['/spec/replicas'] }],
    ],
  ])('%s', (field, to, value) => {
    const name = field.slice(0, field.indexOf(':'))
    const text = unit('web').replace(new RegExp(`  ${name}: .*\n`), '')
    const m = made(`${repo()}${text}  ${field}\n`)
    expect(listed(m)).toEqual([])
    expect(at(m.modules[0]!.module, 'spec', ...to.split('.'))).toEqual(value)
  })

  it.each<[field: string, path: string, why: RegExp, holds: boolean]>([
    ['postBuild: {substitute: {a: b}}', 'spec.postBuild', /not substituted/, true],
    ['decryption: {provider: sops}', 'spec.decryption', /nothing is decrypted/, true],
    ['serviceAccountName: web', 'spec.serviceAccountName', /kubeconfig of its cluster/, true],
    ['suspend: true', 'spec.suspend', /cannot be suspended/, true],
    ['retryInterval: 1m', 'spec.retryInterval', /growing intervals/, false],
    ['interval: 48h', 'spec.interval', /from 10s to 24h/, false],
    [
      `namePrefix: ${'x'.repeat(64)}`,
      'spec.namePrefix',
      /spec\.render\.kustomize\.namePrefix of a Module/,
      true,
    ],
    ['prune: "yes"', 'spec.prune', /a value that Flux does not accept/, true],
    ['images: [{name: a, tag: b}]', 'spec.images[0].tag', /this field is not known/, true],
    [
      'kubeConfig: {configMapRef: {name: eu}}',
      'spec.kubeConfig.configMapRef',
      /Secrets with a kubeconfig/,
      true,
    ],
    ['healthChecks: [{apiVersion: v1, kind: Pod, name: a}]', 'spec.healthChecks[0]', /not known/, true],
    ['ignore: [{paths: [/a], target: {name: "web-.*"}}]', 'spec.ignore[0]', /plain texts/, true],
    ['ignore: [{paths: [/a], target: {labelSelector: a=b}}]', 'spec.ignore[0]', /plain texts/, true],
  ])('%s is not imported', (field, path, why, holds) => {
    const name = field.slice(0, field.indexOf(':'))
    const text = unit('web').replace(new RegExp(`  ${name}: .*\n`), '')
    const m = made(`${repo()}${text}  ${field}\n`)
    const lost = m.listed.filter((l) => l.level === 'loss')
    expect(lost.map((l) => [valuePathText(l.path), l.holds])).toEqual([[path, holds]])
    expect(lost[0]!.why).toMatch(why)
    expect(lost[0]!.place).toMatchObject({ file: 'x.yaml', line: (repo() + text).split('\n').length })
    const [module] = m.modules
    expect([module!.held, at(module!.module, 'spec', 'targets') === undefined]).toEqual([
      holds ? [path] : [],
      holds,
    ])
  })

  it.each<[spec: string, source: JsonValue]>([
    ['', { branch: 'master' }],
    ['  ref: {branch: ""}\n', { branch: 'master' }],
    ['  ref: {tag: v1, branch: main}\n', { tag: 'v1' }],
    ['  ref: {semver: ">=1", tag: v1}\n', { semver: '>=1' }],
    ['  ref: {name: refs/pull/7/head, branch: main}\n', { name: 'refs/pull/7/head' }],
    ['  ref: {commit: abc, branch: main}\n', { branch: 'main', commit: 'abc' }],
    ['  ref: {commit: abc, tag: v1}\n', { commit: 'abc' }],
  ])('reads of a reference what Flux reads: %j', (spec, ref) => {
    const m = made(repo(spec) + unit('web'))
    expect(at(m.modules[0]!.module, 'spec', 'source', 'git', 'ref')).toEqual(ref)
    expect(listed(m)).toEqual([])
  })

  it('names what of a source is not imported once, and holds all that read it', () => {
    const m = made(repo('  verify: {mode: HEAD}\n') + unit('a') + unit('b'))
    expect(listed(m)).toEqual([
      'spec.verify of GitRepository flux-system/repo: signatures of commits and tags are not verified',
    ])
    expect(m.modules.map((x) => x.held)).toEqual(
      [1, 2].map(() => ['spec.verify of GitRepository flux-system/repo']),
    )
  })

  it('says in the file what is missing, and what it is to select then', () => {
    const m = made(repo() + unit('web', '  suspend: true\n  kubeConfig: {secretRef: {name: eu}}\n'))
    expect(importedModuleText(m.modules[0]!).split('\n').slice(0, 2)).toEqual([
      '# Kustomization flux-system/web',
      '# It selects no cluster yet, because of spec.suspend. Then add spec.targets: {"clusters":["eu"]}',
    ])
    expect(parseYamlStream(importedModuleText(m.modules[0]!))).toEqual([m.modules[0]!.module])
  })

  it('keeps labels and annotations that are not for Flux', () => {
    const meta =
      'metadata: {name: web, namespace: flux-system, labels: {team: a}, annotations: {reconcile.fluxcd.io/requestedAt: x}}'
    const m = made(repo() + unit('web').replace(/metadata: .*/, meta))
    expect(at(m.modules[0]!.module, 'metadata')).toEqual({
      name: 'web',
      namespace: 'flux-system',
      labels: { team: 'a' },
    })
    expect(listed(m, 'note')).toEqual([
      'metadata.annotations["reconcile.fluxcd.io/requestedAt"] of Kustomization flux-system/web: it is for Flux',
    ])
  })

  it('takes what a server adds as nobody’s wish', () => {
    const live =
      'metadata: {name: web, namespace: flux-system, uid: u, resourceVersion: "1", generation: 1, managedFields: [{}]}'
    const m = made(`${repo()}${unit('web').replace(/metadata: .*/, live)}status: {observedGeneration: 1}\n`)
    expect([m.listed, m.modules.length]).toEqual([[], 1])
  })
})

describe('health checks', () => {
  const CHECKS = '  healthChecks: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: web}]\n'
  it('are settled by what the unit delivers', () => {
    const files = [
      { file: 'c/x.yaml', text: repo() + unit('web', CHECKS) },
      { file: 'web/d.yaml', text: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n' },
    ]
    expect(importFlux(files, OPTIONS).listed).toEqual([])
    expect(importFlux(files.slice(0, 1), OPTIONS).listed).toHaveLength(1)
  })
  it('say nothing beside wait', () => {
    expect(made(repo() + unit('web', `${CHECKS}  wait: true\n`)).listed).toEqual([])
  })
})

describe('edges', () => {
  const edgesOf = (m: FluxImport, name: string) => at(moduleOf(m, name)!.module, 'spec', 'dependsOn')
  const edge = (id: string, more = {}) => ({ id, module: { kind: 'Module', name: id, ...more } })

  it('are those of the unit, once each', () => {
    const m = made(
      repo() + unit('a') + unit('b', '  dependsOn: [{name: a}, {name: a, namespace: flux-system}]\n'),
    )
    expect(edgesOf(m, 'b')).toEqual([edge('a')])
    expect(listed(m)).toEqual([])
  })

  it('name the cluster of the other one where it is not the same', () => {
    const on = (name: string) => `  kubeConfig: {secretRef: {name: ${name}}}\n`
    const needs = '  dependsOn: [{name: hub}, {name: eu}]\n'
    const m = made(
      repo() +
        unit('hub') +
        unit('eu', on('eu')) +
        unit('us', on('us') + needs) +
        unit('eu2', on('eu') + needs),
    )
    expect(edgesOf(m, 'us')).toEqual([edge('hub'), edge('eu', { clusterRef: { name: 'eu' } })])
    expect(edgesOf(m, 'eu2')).toEqual([edge('hub'), edge('eu')])
  })

  it.each<[needs: string, why: RegExp, path?: string]>([
    ['{name: a, namespace: other}', /must be in the same namespace/],
    ['{name: b}', /cannot wait for itself/],
    ['{readyExpr: "true"}', /this field is not known/, 'spec.dependsOn'],
  ])('%s is lost, and holds the Module', (needs, why, path = 'spec.dependsOn[0]') => {
    const m = made(repo() + unit('a') + unit('a', '', 'other') + unit('b', `  dependsOn: [${needs}]\n`))
    expect(edgesOf(m, 'b')).toBeUndefined()
    expect(m.listed.map((l) => [valuePathText(l.path), l.holds])).toEqual([[path, true]])
    expect(m.listed[0]!.why).toMatch(why)
  })

  it('to what is not imported stay, and stay closed', () => {
    const bucket = unit('a').replace('kind: GitRepository', 'kind: Bucket')
    const m = made(repo() + bucket + unit('b', '  dependsOn: [{name: a}, {name: gone}]\n'))
    expect(edgesOf(m, 'b')).toEqual([edge('a'), edge('gone')])
    expect(listed(m, 'note')).toEqual([
      expect.stringMatching(/dependsOn\[0\].* is not imported: the dependency is not ready/),
      expect.stringMatching(/dependsOn\[1\].* is not in the files: the dependency is not ready/),
    ])
  })

  it.each<[expr: string, todo: RegExp]>([
    ['dep.status.ready', /"kind":"Kustomization".*"name":"a"\},"readyExpr":"object\.status\.ready"\}/],
    ['dep.spec.path == self.spec.path', /self is not known here/],
  ])('with %s: the edge stays, the expression is offered', (expr, todo) => {
    const m = made(repo() + unit('a') + unit('b', `  dependsOn: [{name: a, readyExpr: ${expr}}]\n`))
    expect(edgesOf(m, 'b')).toEqual([edge('a')])
    expect(m.listed.map((l) => [valuePathText(l.path), l.holds])).toEqual([
      ['spec.dependsOn[0].readyExpr', true],
    ])
    expect(m.listed[0]!.todo).toMatch(todo)
  })
})

describe('what becomes no Module', () => {
  const HELM =
    'apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: h, namespace: web}\nspec: {interval: 5m}\n'
  it.each<[what: string, text: string, of: string, why: RegExp]>([
    ['a HelmRelease', HELM, 'HelmRelease web/h', /charts are not rendered/],
    [
      'another source',
      repo() + unit('a').replace('kind: GitRepository', 'kind: OCIRepository'),
      'Kustomization flux-system/a',
      /reads Git in this version/,
    ],
    [
      'a source elsewhere',
      unit('a'),
      'Kustomization flux-system/a',
      /GitRepository flux-system\/repo is not in the files/,
    ],
    ['a name', repo() + unit('A_b'), 'Kustomization flux-system/A_b', /is not a valid Module name/],
    [
      'a second one',
      repo() + unit('a.b') + unit('a-b'),
      'Kustomization flux-system/a-b',
      /a\.b in x\.yaml:10 becomes/,
    ],
    [
      'an old version',
      `${HELM.replace('/v2', '/v2beta1')}`,
      'HelmRelease web/h',
      /version v2beta1 is not read/,
    ],
    [
      'an Alert',
      'apiVersion: notification.toolkit.fluxcd.io/v1beta3\nkind: Alert\nmetadata: {name: a}\n',
      'Alert a',
      /no kind of Lockstep/,
    ],
  ])('%s', (_, text, of, why) => {
    const m = made(text)
    const [lost] = m.listed.filter((l) => l.level === 'loss')
    expect([lost!.of, lost!.path]).toEqual([of, []])
    expect(lost!.why).toMatch(why)
    expect(m.modules.some((x) => of.endsWith(`/${x.unit.name}`))).toBe(false)
  })

  it('what applies units that are imported', () => {
    const files = [
      {
        file: 'clusters/eu/a.yaml',
        text: repo() + unit('a') + unit('all').replace('./all', './clusters/eu'),
      },
    ]
    const m = importFlux(files, OPTIONS)
    expect(m.modules.map((x) => x.name)).toEqual(['a'])
    expect(listed(m)).toEqual([
      expect.stringMatching(/^ of Kustomization flux-system\/all: it applies Kustomizations/),
    ])
  })

  it('what nobody could fetch', () => {
    const m = made(repo() + unit('a'), {
      gitProblem: (git) => ({ field: 'url', problem: `${git.path} is bad` }),
    })
    expect(m.modules).toEqual([])
    expect(listed(m)).toEqual([
      ' of Kustomization flux-system/a: spec.url of GitRepository flux-system/repo: a is bad',
    ])
  })
})

describe('texts', () => {
  it('give equal bytes again, and in any order of documents', () => {
    const texts = [repo(), unit('b', '  dependsOn: [{name: a}]\n'), unit('a')]
    const files = (m: FluxImport) => m.modules.map((x) => [x.file, importedModuleText(x)])
    expect(files(made(texts.join('')))).toEqual(files(made(texts.toReversed().join(''))))
  })

  it.each<[what: string, change: (text: string) => string]>([
    ['as they are', (text) => text],
    ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['with a mark at the start', (text) => `\ufeff${text}`],
  ])('%s: the same Modules and the same places', (_, change) => {
    const text =
      repo() + unit('web', '  postBuild:\n    substitute: {a: b}\n  patches:\n    - patch: |\n        a: b\n')
    const m = made(change(text))
    expect(m.modules.map(importedModuleText)).toEqual(made(text).modules.map(importedModuleText))
    expect(m.listed.map((l) => [l.place.line, l.place.column])).toEqual([[15, 3]])
  })

  it('fill in a namespace where none is written', () => {
    const text = (repo() + unit('a')).replaceAll(/, namespace: flux-system/g, '')
    const files = (namespace?: string) =>
      made(text, { ...OPTIONS, ...(namespace ? { namespace } : {}) }).modules.map((x) => x.file)
    expect([files(), files('web')]).toEqual([['a.yaml'], ['web.a.yaml']])
  })

  it('that cannot be read are said, and the rest is read', () => {
    const m = made(`${repo()}${unit('a')}---\nx: [\n`)
    expect([m.set.broken.length, m.modules.length]).toEqual([1, 1])
  })
})
