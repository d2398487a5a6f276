import { describe, expect, it } from 'vitest'
import { at, type JsonObject } from '../../../../../kube/src/object/index.ts'
import { bodyOf, hub, those } from '../clustergroup.cases.ts'

const N = '"5.10"'
const WAVE = 'argocd.argoproj.io/sync-wave'
const only = (kind: string, members: string, ...more: string[]): unknown =>
  those(kind, hub(members), 'global: {options: {useCSV: false}}', ...more).map(bodyOf)[0]

describe('"5.10" is a number where the chart writes it without quotes, and text where it quotes it', () => {
  it('a Namespace and its OperatorGroup', () => {
    const all = `namespaces: [{${N}: {labels: {a: ${N}}}}]`
    expect(only('Namespace', all)).toMatchObject({ metadata: { name: 5.1, labels: { a: '5.10' } } })
    expect(only('OperatorGroup', all)).toEqual({
      metadata: { name: '5.10-operator-group', namespace: 5.1, labels: { a: '5.10' } },
      spec: { targetNamespaces: [5.1] },
    })
  })
  it('a Subscription', () => {
    const texts = ['name', 'namespace', 'source', 'sourceNamespace', 'channel', 'csv', 'installPlanApproval']
    const members = texts.map((key) => `${key}: ${N}`).join(', ')
    expect(only('Subscription', `subscriptions: {a: {${members}, annotations: {a: ${N}}}}`)).toEqual({
      metadata: { name: 5.1, namespace: 5.1, annotations: { a: '5.10' } },
      spec: {
        name: 5.1,
        source: 5.1,
        sourceNamespace: 5.1,
        channel: 5.1,
        installPlanApproval: 5.1,
        startingCSV: 5.1,
      },
    })
    const several = `subscriptions: {a: {name: a, namespaces: [${N}]}}`
    expect(only('Subscription', several)).toMatchObject({ metadata: { namespace: 5.1 } })
  })
  it('a ClusterExtension', () => {
    const texts = ['name', 'namespace', 'version', 'upgradeConstraintPolicy', 'serviceAccountName']
    const members = texts.map((key) => `${key}: ${N}`).join(', ')
    expect(only('ClusterExtension', `subscriptions: {a: {${members}, channels: [${N}]}}`)).toEqual({
      metadata: { name: 5.1 },
      spec: {
        namespace: 5.1,
        serviceAccount: { name: 5.1 },
        source: {
          sourceType: 'Catalog',
          catalog: {
            packageName: 5.1,
            channels: ['5.10'],
            version: '5.10',
            upgradeConstraintPolicy: 5.1,
          },
        },
      },
    })
  })
  it('a sequenceJob', () => {
    const job = `{syncWave: ${N}, hookType: ${N}, image: ${N}, resourceName: ${N}, command: [${N}]}`
    expect(
      only('Job', `subscriptions: {a: {name: ${N}, annotations: {}, sequenceJob: ${job}}}`),
    ).toMatchObject({
      metadata: {
        name: '5.10-sequencejob',
        annotations: { 'argocd.argoproj.io/hook': 5.1, [WAVE]: '5.10' },
      },
      spec: {
        template: { spec: { containers: [{ name: '5.10-sequencejob', image: 5.1, command: ['5.10'] }] } },
      },
    })
  })
  it('a project', () =>
    expect(only('AppProject', `argoProjects: [${N}]`)).toMatchObject({
      metadata: { name: 5.1 },
      spec: { description: 'Pattern 5.10' },
    }))
})

describe('an application with "5.10" everywhere', () => {
  const texts = ['name', 'namespace', 'argoProject', 'repoURL', 'targetRevision', 'path']
  const members = [
    ...texts.map((key) => `${key}: ${N}`),
    `extraNamespaceFields: [${N}]`,
    `overrides: [{name: ${N}, value: last}]`,
    `fileParameters: [{name: ${N}, path: ${N}}]`,
  ].join(', ')
  const values = `global: {pattern: ${N}, targetRevision: ${N}, clusterVersion: ${N}, repoURL: ${N}}\nextraParametersNested: {${N}: ${N}}`
  const app = (more = ''): JsonObject =>
    only('Application', `targetCluster: ${N}\napplications: {a: {${members}${more}}}`, values) as JsonObject

  it('has numbers for names and places', () => {
    expect(app().metadata).toMatchObject({
      name: 5.1,
      namespace: '5.10-hub',
      labels: { 'validatedpatterns.io/pattern': 5.1 },
    })
    expect(app().spec).toMatchObject({
      destination: { name: 5.1, namespace: 5.1 },
      project: 5.1,
      source: { repoURL: 5.1, targetRevision: 5.1, path: 5.1 },
    })
    expect(at(app(`, chart: ${N}`), 'spec', 'source', 'chart')).toBe(5.1)
    expect(at(app(`, chartVersion: ${N}`), 'spec', 'sources')).toMatchObject([
      { repoURL: 5.1, targetRevision: 5.1 },
      { repoURL: 5.1, targetRevision: 5.1, path: 5.1 },
    ])
  })
  it('has parameters of numbers and of texts: facts, further names, those of the pattern, overrides', () => {
    const helm = at(app(), 'spec', 'source', 'helm') as JsonObject
    const parameters = helm.parameters as JsonObject[]
    expect(parameters[2]).toEqual({ name: 'global.targetRevision', value: 5.1 })
    expect(parameters[7]).toEqual({ name: 'global.clusterVersion', value: '5.10' })
    expect(parameters.slice(19)).toEqual([
      { name: 5.1, value: '$ARGOCD_APP_NAMESPACE' },
      { name: 5.1, value: '5.10' },
      { name: 5.1, value: 'last' },
    ])
    expect(helm.fileParameters).toEqual([{ name: 5.1, path: 5.1 }])
    expect(helm.values).toBe('extraParametersNested:\n    5.10: "5.10"\n')
  })
})
