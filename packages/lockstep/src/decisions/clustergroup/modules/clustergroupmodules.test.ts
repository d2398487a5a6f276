import { describe, expect, it } from 'vitest'
import { at, type JsonValue } from '../../../../../kube/src/object/index.ts'
import { files, hub } from '../clustergroup.cases.ts'
import { type ClusterGroupInput, renderClusterGroup } from '../render/renderclustergroup.ts'

const FACTS = `global:
  pattern: p
  repoURL: https://git/p
  targetRevision: main
  multiSourceRepoUrl: https://charts
`
const OWN = { url: 'https://git/p.git', ref: { branch: 'main' }, secretRef: { name: 'git' } }

function made(members: string, facts: ClusterGroupInput['facts'] = { git: OWN }, top = '') {
  const group = hub(`applications: {a: {name: a, namespace: a-ns, ${members}}}`, top)
  const result = renderClusterGroup({ files: files(group, FACTS), applications: 'Modules', facts: facts! })
  return result.ok
    ? { objects: result.value.objects, warnings: result.value.warnings }
    : result.error.map((p) => p.text)
}

const spec = (members: string, ...rest: [ClusterGroupInput['facts']?, string?]): JsonValue | undefined => {
  const found = made(members, ...rest)
  return 'objects' in found ? at(found.objects.at(-1), 'spec') : (found as string[])
}
/** Values by name. */
const parametersOf = (...args: Parameters<typeof spec>): Record<string, unknown> =>
  Object.fromEntries(
    (at(spec(...args), 'render', 'helm', 'parameters') as { name: string; value: string }[]).map((p) => [
      p.name,
      p.value,
    ]),
  )
const refusal = (members: string): unknown => made(members)
const warnings = (members: string, ...rest: [ClusterGroupInput['facts']?, string?]) => {
  const found = made(members, ...rest)
  return 'warnings' in found ? found.warnings : []
}

describe('an application as a Module', () => {
  it('is its chart of Git, with the values files and parameters of the pattern', () => {
    const found = spec(
      'path: charts/a, overrides: [{name: a.count, value: "2"}, {name: a.text, value: "2", forceString: true}]',
    )
    expect(found).toMatchObject({
      source: {
        git: { url: OWN.url, ref: { branch: 'main' }, path: 'charts/a', secretRef: { name: 'git' } },
      },
      render: {
        namespace: 'a-ns',
        helm: {
          releaseName: 'a',
          valuesFiles: ['/values-global.yaml', '/values-hub.yaml'],
          ignoreMissingValuesFiles: true,
          parameters: expect.arrayContaining([
            { name: 'global.pattern', value: 'p' },
            { name: 'global.namespace', value: 'a-ns' },
            { name: 'global.targetRevision', value: 'main' },
            { name: 'a.count', value: '2' },
            { name: 'a.text', value: '2', forceString: true },
          ]),
        },
      },
    })
  })
  it('has no fact that nobody gave as anything but an empty text, as there', () =>
    expect(parametersOf('path: b')).toMatchObject({ 'global.clusterDomain': '' }))
  it('is a chart of a repository, with values files of Git', () =>
    expect(spec('chart: vault, chartVersion: 0.1.*')).toMatchObject({
      source: {
        helm: { repository: 'https://charts', chart: 'vault', version: '0.1.*' },
        refs: [{ name: 'patternref', git: { url: OWN.url, ref: { branch: 'main' } } }],
      },
      render: { helm: { valuesFiles: ['$patternref/values-global.yaml', '$patternref/values-hub.yaml'] } },
    }))
  it('of a registry has its scheme', () =>
    expect(
      at(spec('chart: vault, chartVersion: 1.2.3, repoURL: quay.io/o'), 'source', 'helm', 'repository'),
    ).toBe('oci://quay.io/o'))
  it('is a kustomization', () =>
    expect(spec('path: b, kustomize: true')).toEqual({
      source: { git: { ...OWN, path: 'b' } },
      render: { kustomize: {}, namespace: 'a-ns' },
    }))
  it('of another repository has none of its credentials', () => {
    const found = spec('path: b, repoURL: "git@git:q.git", targetRevision: v1.0.0')
    expect(at(found, 'source', 'git')).toEqual({
      url: 'ssh://git@git/q.git',
      ref: { tag: 'v1.0.0' },
      path: 'b',
    })
    expect(warnings('path: b, repoURL: "git@git:q.git", targetRevision: v1.0.0')).toContain(
      'values.yaml: clusterGroup.applications.a: targetRevision v1.0.0 is read as a tag; write refs/heads/v1.0.0 if it is a branch',
    )
  })
  it('knows what Argo CD would tell it', () => {
    const found = parametersOf(
      'path: b, extraNamespaceFields: [x.ns], extraRepoURLFields: [x.url], extraTargetRevisionFields: [x.at]',
    )
    expect(found).toMatchObject({ 'x.ns': 'a-ns', 'x.url': 'https://git/p', 'x.at': 'main' })
  })
  it('has what all charts are told besides', () => {
    const top = 'extraParametersNested: {a.b: "1"}\n'
    expect(at(spec('path: b', undefined, top), 'render', 'helm', 'values')).toEqual({
      extraParametersNested: { 'a.b': '1' },
    })
    expect(parametersOf('path: b', undefined, top)).toMatchObject({ 'a.b': '1' })
  })
  it('tells charts of clusters what its group says', () =>
    expect(
      at(
        spec('path: b', { git: undefined, kubeVersion: '1.31.0', apiVersions: ['route.openshift.io/v1'] }),
        'render',
        'helm',
      ),
    ).toMatchObject({ kubeVersion: '1.31.0', apiVersions: ['route.openshift.io/v1'] }))
  it('leaves to others what Argo CD would not compare', () => {
    const rules =
      'ignoreDifferences: [{group: apps, kind: Deployment, name: "*", jsonPointers: [/spec/replicas], managedFieldsManagers: [hpa]}]'
    expect(at(spec(`path: b, ${rules}`), 'apply', 'ignore')).toEqual([
      { target: { group: 'apps', kind: 'Deployment' }, paths: ['/spec/replicas'], managers: ['hpa'] },
    ])
  })
  it('keeps its wave', () => {
    const found = made('path: b, annotations: {argocd.argoproj.io/sync-wave: 10}')
    expect('objects' in found && found.objects.at(-1)).toMatchObject({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'a', annotations: { 'argocd.argoproj.io/sync-wave': '10' } },
    })
  })
})

describe('the group', () => {
  const group = (members: string) =>
    renderClusterGroup({
      files: files(hub(members), FACTS),
      applications: 'Modules',
      sequencing: 'Native',
      facts: { git: OWN },
    })
  const odf = (wave: string): string =>
    `subscriptions: {odf: {name: odf, annotations: {argocd.argoproj.io/sync-wave: "5"}, sequenceJob: {resourceType: sc, resourceName: fast}}}
applications:
  a: {name: a, namespace: a, path: charts/a${wave}}
`
  const said = (members: string): readonly string[] => {
    const found = group(members)
    return found.ok ? found.value.warnings : found.error.map((p) => p.text)
  }

  it('has no projects: nobody but Argo CD reads them', () => {
    const found = group(
      'argoProjects: [p]\nnamespaces: [ns]\napplications: {a: {name: a, path: b, project: p}}',
    )
    expect(found.ok ? found.value.objects.map((o) => o.kind) : found.error).toEqual([
      'Namespace',
      'OperatorGroup',
      'Module',
    ])
  })
  it('is not to wait for what an application makes that nobody has put into a wave, and that comes after it', () => {
    expect(said(odf(''))).toEqual([
      'values.yaml: clusterGroup.applications: a has no wave: where the chart is installed it would come before wave 5, in which Wait odf-sequencejob holds the group, and here after all of the group; so what it may make is never there for that wait; where it waits for that, give what makes it a wave, such as annotations: {argocd.argoproj.io/sync-wave: "0"}',
    ])
    for (const wave of ['0', '5', '10'])
      expect(said(odf(`, annotations: {argocd.argoproj.io/sync-wave: "${wave}"}`))).toEqual([])
  })
})

describe('what only Argo CD does', () => {
  it.each([
    [
      'plugin: {name: x}, path: b',
      'clusterGroup.applications.a.plugin: a Module runs no plugin of Argo CD; set render.clusterGroup.applications: Objects',
    ],
    [
      'path: b, fileParameters: [{name: a, path: b}]',
      'clusterGroup.applications.a.fileParameters: a Module has no parameters that are files; put the text into a values file',
    ],
    [
      'path: b, ignoreDifferences: [{kind: A, jqPathExpressions: [.a]}]',
      'clusterGroup.applications.a.ignoreDifferences[0].jqPathExpressions: a Module knows no jq; write jsonPointers, or managedFieldsManagers',
    ],
    [
      'path: b, extraValueFiles: [/$ARGOCD_APP_REVISION.yaml]',
      'clusterGroup.applications.a: $ARGOCD_APP_REVISION is not known to a Module; there are ARGOCD_APP_NAME, ARGOCD_APP_NAMESPACE, ARGOCD_APP_PROJECT_NAME, ARGOCD_APP_SOURCE_REPO_URL, ARGOCD_APP_SOURCE_PATH, ARGOCD_APP_SOURCE_TARGET_REVISION; write $$ for a dollar',
    ],
  ])('%s is refused', (members, text) => expect(refusal(members)).toEqual([`values.yaml: ${text}`]))
  it('is refused where Helm could not read it', () =>
    expect(made('path: b', undefined, 'extraParametersNested: {"{a": x}\n')).toContainEqual(
      expect.stringMatching(
        /^values.yaml: extraParametersNested: Helm could not read it: .*; use names that are plain in YAML$/,
      ),
    ))
  it('is said where nothing is lost by it', () => {
    expect(warnings('path: b, syncPolicy: Manual')).toContain(
      'values.yaml: clusterGroup.applications.a: sync by hand is a Hold on its Module',
    )
  })
})
