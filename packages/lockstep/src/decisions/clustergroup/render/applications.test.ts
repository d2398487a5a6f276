import { describe, expect, it } from 'vitest'
import { at, isArray, type JsonObject, type JsonValue } from '../../../../../kube/src/object/index.ts'
import { hub, made, refusal, those, warnings } from '../clustergroup.cases.ts'

const FACTS = `global:
  pattern: p
  repoURL: https://git/p
  targetRevision: main
  multiSourceRepoUrl: https://charts
  hubClusterDomain: apps.hub
  clusterPlatform: AWS
  clusterVersion: "4.16"
  localClusterName: one
`
const apps = (members: string, top = ''): JsonObject[] =>
  those('Application', hub(`applications: ${members}`, top), FACTS)
const app = (members: string, top = ''): JsonObject => apps(`{a: {name: a, ${members}}}`, top)[0]!
const spec = (members: string, ...path: (string | number)[]): JsonValue | undefined =>
  at(app(members), 'spec', ...path)
const names = (members: string): unknown[] => apps(members).map((o) => at(o, 'metadata', 'name'))

describe('applications', () => {
  it('of a map come by key, of a list in order; null, empty and disabled ones are none', () => {
    expect(names('{b: {name: x}, a: {name: w}, c: null, d: {}, e: {name: e, disabled: true}}')).toEqual([
      'w',
      'x',
    ])
    expect(names('[{name: x}, {name: w, disabled: false}]')).toEqual(['x', 'w'])
  })
  it('are gone first while the pattern is deleted', () => {
    const all = hub('applications: {a: {name: a}}\nnamespaces: [x]')
    expect(made(all, 'global: {deletePattern: DeleteChildApps}').objects.map((o) => o.kind)).toEqual([
      'Namespace',
      'OperatorGroup',
    ])
    expect(made(all, 'global: {deletePattern: none}').objects).toHaveLength(3)
  })
  it('of another kind are refused', () => expect(refusal(hub('applications: {a: text}'))).toHaveLength(1))
})

describe('an application', () => {
  it('belongs to the pattern, and takes what it made with it', () =>
    expect(app('annotations: {w: 5}').metadata).toEqual({
      name: 'a',
      namespace: 'p-hub',
      labels: { 'validatedpatterns.io/pattern': 'p' },
      annotations: { w: '5' },
      finalizers: ['resources-finalizer.argocd.argoproj.io/foreground'],
    }))
  it.each([
    ['', { name: 'in-cluster', namespace: 'p-hub' }],
    ['namespace: b', { name: 'in-cluster', namespace: 'b' }],
  ])('goes to where %j says', (members, to) => expect(spec(members, 'destination')).toEqual(to))
  it('goes to the cluster of the group', () => {
    const group = hub('targetCluster: edge\napplications: {a: {name: a}}')
    expect(at(those('Application', group)[0], 'spec', 'destination', 'name')).toBe('edge')
  })
  it.each([
    ['', 'default'],
    ['project: b', 'b'],
    ['argoProject: c, project: b', 'c'],
  ])('%j is of project %s', (members, project) => expect(spec(members, 'project')).toBe(project))
  it('leaves fields alone', () =>
    expect(spec('ignoreDifferences: [{kind: A}]', 'ignoreDifferences')).toEqual([{ kind: 'A' }]))
})

describe('a source', () => {
  const { helm: _, ...plain } = spec('path: charts/a', 'source') as JsonObject
  it('is a path of the pattern', () =>
    expect(plain).toEqual({ repoURL: 'https://git/p', targetRevision: 'main', path: 'charts/a' }))
  it.each([
    [
      'repoURL: https://b, targetRevision: "1.0", chart: c',
      { repoURL: 'https://b', targetRevision: 1, chart: 'c' },
    ],
    ['chart: c, path: d', { repoURL: 'https://git/p', targetRevision: 'main', chart: 'c' }],
    ['repoURL: ""', { repoURL: 'https://git/p', path: null }],
  ])('%s', (members, expected) => expect(spec(members, 'source')).toMatchObject(expected))

  it('of a chart with a version is two: values of Git, the chart of its repository', () => {
    expect(spec('chart: c, chartVersion: 0.1.*', 'sources')).toMatchObject([
      { repoURL: 'https://git/p', targetRevision: 'main', ref: 'patternref' },
      { repoURL: 'https://charts', targetRevision: '0.1.*', chart: 'c' },
    ])
    expect(spec('path: c, chartVersion: main, repoURL: https://b', 'sources', 1)).toMatchObject({
      repoURL: 'https://b',
      path: 'c',
    })
  })
  it('for a plugin or kustomize has nothing for Helm', () => {
    expect(spec('path: a, plugin: {name: x}, kustomize: true', 'source')).toEqual({
      ...plain,
      path: 'a',
      plugin: { name: 'x' },
    })
    expect(spec('path: a, kustomize: true', 'source')).toEqual({ ...plain, path: 'a' })
    expect(spec('chart: c, chartVersion: "1.0.0", kustomize: true', 'sources', 1, 'helm')).toBeDefined()
    expect(spec('chart: c, chartVersion: "1.0.0", plugin: {name: x}', 'sources', 1, 'helm')).toBeUndefined()
  })
})

const MULTI = 'chart: c, chartVersion: "1.0.0", '
const single = (members: string, top = ''): JsonObject =>
  at(app(members, top), 'spec', 'source', 'helm') as JsonObject
const multi = (members: string, top = ''): JsonObject =>
  at(app(MULTI + members, top), 'spec', 'sources', 1, 'helm') as JsonObject

describe('values files', () => {
  const general = ['global', 'hub', 'AWS', 'AWS-4.16', 'AWS-hub', '4.16-hub', 'one']
  it('go from the general to the particular', () => {
    expect(single('path: a').valueFiles).toEqual(general.map((f) => `/values-${f}.yaml`))
    expect(multi('').valueFiles).toEqual(general.map((f) => `$patternref/values-${f}.yaml`))
  })
  it.each([
    ['clusterPlatform', ['global', 'hub', '4.16-hub', 'one']],
    ['clusterVersion', ['global', 'hub', 'AWS', 'AWS-hub', 'one']],
    ['localClusterName', ['global', 'hub', 'AWS', 'AWS-4.16', 'AWS-hub', '4.16-hub']],
  ])('but for %s, if nobody knows it', (fact, left) => {
    const [one] = those(
      'Application',
      hub('applications: {a: {name: a, path: a}}'),
      FACTS,
      `global: {${fact}: ""}`,
    )
    expect(at(one, 'spec', 'source', 'helm', 'valueFiles')).toEqual(left.map((f) => `/values-${f}.yaml`))
  })
  it('of the pattern, of all, of the application come last, templates evaluated', () => {
    const more = 'global: {extraValueFiles: [/e.yaml]}\n'
    const shared =
      'clusterGroup: {sharedValueFiles: ["/s-{{ $.Values.global.pattern }}.yaml", $patternref/t.yaml]}'
    const files = (o: JsonValue | undefined): unknown => (isArray(o) ? o.slice(general.length) : undefined)
    const of = (members: string): JsonObject =>
      those(
        'Application',
        hub(`applications: {a: {name: a, ${members}extraValueFiles: [/x.yaml]}}`),
        FACTS,
        more,
        shared,
      )[0]!
    expect(files(at(of('path: a, '), 'spec', 'source', 'helm', 'valueFiles'))).toEqual([
      '/e.yaml',
      '/s-p.yaml',
      '$patternref/t.yaml',
      '/x.yaml',
    ])
    expect(files(at(of(MULTI), 'spec', 'sources', 1, 'helm', 'valueFiles'))).toEqual([
      '$patternref//e.yaml',
      '$patternref/s-p.yaml',
      '$patternref/t.yaml',
      '$patternref/x.yaml',
    ])
  })
})

describe('parameters', () => {
  const all = (helm: JsonObject): Record<string, JsonValue> =>
    Object.fromEntries(
      (helm.parameters as unknown as { name: string; value: JsonValue }[]).map((p) => [p.name, p.value]),
    )

  it('are the facts, null where nobody knows them', () =>
    expect(Object.entries(all(single('path: a')))).toEqual([
      ['global.repoURL', 'https://git/p'],
      ['global.originURL', null],
      ['global.targetRevision', 'main'],
      ['global.namespace', '$ARGOCD_APP_NAMESPACE'],
      ['global.pattern', 'p'],
      ['global.clusterDomain', null],
      ['global.localClusterName', 'one'],
      ['global.clusterVersion', '4.16'],
      ['global.clusterPlatform', 'AWS'],
      ['global.hubClusterDomain', 'apps.hub'],
      ['global.multiSourceSupport', null],
      ['global.multiSourceRepoUrl', 'https://charts'],
      ['global.multiSourceTargetRevision', null],
      ['global.localClusterDomain', 'apps.hub'],
      ['global.privateRepo', null],
      ['global.experimentalCapabilities', null],
      ['global.deletePattern', null],
      ['global.gitOpsSubNamespace', null],
      ['global.vpArgoNamespace', 'openshift-gitops'],
    ]))
  it('name the domain of the cluster, or that of its hub', () => {
    const local = 'global: {localClusterDomain: apps.edge}'
    const [one] = those(
      'Application',
      hub('applications: {a: {name: a, path: a, extraLocalClusterDomainFields: [my.domain]}}'),
      FACTS,
      local,
    )
    expect(all(at(one, 'spec', 'source', 'helm') as JsonObject)).toMatchObject({
      'global.localClusterDomain': 'apps.edge',
      'global.hubClusterDomain': 'apps.hub',
      'my.domain': 'apps.edge',
    })
  })
  it('are what the values know, as YAML reads it', () => {
    const known = [
      'clusterDomain',
      'deletePattern',
      'gitOpsSubNamespace',
      'experimentalCapabilities',
      'multiSourceTargetRevision',
    ]
    const values = known.map((name, i) => `${name}: "1.${i}0"`).join(', ')
    const [one] = those('Application', hub('applications: {a: {name: a, path: a}}'), `global: {${values}}`)
    expect(all(at(one, 'spec', 'source', 'helm') as JsonObject)).toMatchObject(
      Object.fromEntries(known.map((name, i) => [`global.${name}`, 1 + i / 10])),
    )
  })
  it('that are quoted stay texts', () => {
    const [one] = those(
      'Application',
      hub('applications: {a: {name: a, path: a}}'),
      'global: {multiSourceSupport: "true", privateRepo: true, originURL: "true"}',
    )
    const found = all(at(one, 'spec', 'source', 'helm') as JsonObject)
    expect(found).toMatchObject({
      'global.multiSourceSupport': 'true',
      'global.privateRepo': 'true',
      'global.originURL': true,
      'global.clusterVersion': '',
      'global.clusterPlatform': '',
    })
  })
  it('come under further names', () => {
    const fields = [
      'HubClusterDomain',
      'LocalClusterDomain',
      'RepoURL',
      'TargetRevision',
      'Namespace',
      'PatternName',
    ]
    const helm = single(`path: a, ${fields.map((f) => `extra${f}Fields: [my.${f}]`).join(', ')}`)
    expect(Object.entries(all(helm)).slice(-fields.length)).toEqual([
      ['my.HubClusterDomain', 'apps.hub'],
      ['my.LocalClusterDomain', null],
      ['my.RepoURL', '$ARGOCD_APP_SOURCE_REPO_URL'],
      ['my.TargetRevision', '$ARGOCD_APP_SOURCE_TARGET_REVISION'],
      ['my.Namespace', '$ARGOCD_APP_NAMESPACE'],
      ['my.PatternName', 'p'],
    ])
  })
  it('of the pattern are also values', () => {
    const top = 'extraParametersNested: {b: "1", a.b: text, c: true}\n'
    expect(single('path: a', top).values).toBe(
      'extraParametersNested:\n    a.b: "text"\n    b: "1"\n    c: "%!s(bool=true)"\n',
    )
    expect(multi('', top).values).toBe(
      'extraParametersNested:\n  a.b: "text"\n  b: "1"\n  c: "%!s(bool=true)"\n',
    )
    expect(single('path: a').values).toBe('extraParametersNested:\n')
    // The chart quotes it as Go does.
    const odd = `extraParametersNested: {a: 'x"y\\z', b: "two\\nlines"}\n`
    expect(single('path: a', odd).values).toBe(
      'extraParametersNested:\n    a: "x\\"y\\\\z"\n    b: "two\\nlines"\n',
    )
    expect(Object.entries(all(single('path: a', top))).slice(-3)).toEqual([
      ['a.b', 'text'],
      ['b', '1'],
      ['c', '%!s(bool=true)'],
    ])
    expect(warnings(hub('applications: {a: {name: a}}', top))).toEqual([
      'values.yaml: extraParametersNested.c: true is not a text, and is written as %!s(bool=true); quote it',
    ])
  })
  it('of files are named', () =>
    expect(single('path: a, fileParameters: [{name: ca, path: ca.pem}]').fileParameters).toEqual([
      { name: 'ca', path: 'ca.pem' },
    ]))
})

describe('overrides', () => {
  const overrides = (list: string): unknown => (multi(`overrides: ${list}`).parameters as unknown[]).slice(19)
  it('are texts, with references to values', () =>
    expect(
      overrides(
        '[{name: a, value: "1.10", forceString: true}, {name: b, value: false}, {name: c, value: "x.{{ .Values.global.pattern }}"}, {name: d, value: "", forceString: false}]',
      ),
    ).toEqual([
      { name: 'a', value: '1.10', forceString: true },
      { name: 'b', value: 'false' },
      { name: 'c', value: 'x.p' },
      { name: 'd', value: '' },
    ]))
  it('of a map go by key', () =>
    expect(overrides('{z: {name: a, value: 1}, b: {name: b, value: 2}}')).toMatchObject([
      { name: 'b' },
      { name: 'a' },
    ]))
  it.each(['[{name: a}]', '[{name: a, value: null}]', '[text]'])('%s has no value', (list) =>
    expect(refusal(hub(`applications: {a: {name: a, overrides: ${list}}}`))).toEqual([
      expect.stringMatching(/overrides\[0\]: .* has no value; give it name and value$/),
    ]),
  )
})

describe('the sync policy', () => {
  const automatic = (limit: JsonValue): unknown => ({ automated: {}, retry: { limit } })
  it.each([
    ['', '', automatic(20)],
    ['syncPolicy: Manual', '', null],
    ['syncPolicy: MANUAL', '', null],
    ['', 'syncPolicy: manual', null],
    ['syncPolicy: automatic', 'syncPolicy: Manual', automatic(20)],
    ['syncPolicy: {automated: {prune: true}}', 'syncPolicy: Manual', { automated: { prune: true } }],
    ['', 'syncPolicy: something', null],
    ['', 'syncPolicy: ""', automatic(20)],
    ['', 'applicationRetryLimit: 3', automatic(3)],
    ['', 'applicationRetryLimit: 0', automatic(20)],
    ['', 'applicationRetryLimit: -1', automatic(-1)],
    ['', 'applicationRetryLimit: null', automatic(20)],
  ])('of %j below %j', (own, options, expected) => {
    const [one] = those(
      'Application',
      hub(`applications: {a: {name: a, path: a, ${own}}}`),
      `global: {options: {${options}}}`,
    )
    expect(at(one, 'spec', 'syncPolicy')).toEqual(expected)
  })
})
