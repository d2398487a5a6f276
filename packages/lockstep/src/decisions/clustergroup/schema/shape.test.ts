import { describe, expect, it } from 'vitest'
import { hub, refusal } from '../clustergroup.cases.ts'

const said = (...texts: string[]): string[] =>
  refusal(...texts).map((line) => line.replace('values: values.yaml: ', ''))

describe('values that no schema would take are refused, each by its path', () => {
  it.each([
    ['name: 5', 'clusterGroup.name: 5 is a number; quote it ("5")'],
    ['name: yes', 'clusterGroup.name: yes is a boolean; quote it ("yes")'],
    ['name: 1.10', 'clusterGroup.name: 1.10 is a number; quote it ("1.10")'],
    ['targetCluster: [a]', 'clusterGroup.targetCluster: ["a"] is a list; write text'],
    ['namespaces: text', 'clusterGroup.namespaces: "text" is text; write a list or a map'],
    ['namespaces: [null]', 'clusterGroup.namespaces[0]: null is not expected; give it text or a map'],
    ['namespaces: [5]', 'clusterGroup.namespaces[0]: 5 is a number; quote it ("5")'],
    ['scheduler: null', 'clusterGroup.scheduler: null is not expected; give it a map'],
    [
      'operatorgroupExcludes: [true]',
      'clusterGroup.operatorgroupExcludes[0]: true is a boolean; quote it ("true")',
    ],
    ['subscription: {}', 'clusterGroup.subscription: unknown key; did you mean subscriptions?'],
    ['somethingElse: {}', 'clusterGroup.somethingElse: unknown key; take it out'],
    ['argoProjects: [5]', 'clusterGroup.argoProjects[0]: 5 is a number; quote it ("5")'],
    ['projects: [5]', 'clusterGroup.projects[0]: 5 is a number; quote it ("5")'],
    ['isHubCluster: "true"', 'clusterGroup.isHubCluster: "true" is text; write true without quotes'],
    [
      'argoCD: {resourceTrackingMethod: both}',
      'clusterGroup.argoCD.resourceTrackingMethod: "both" is none of "annotation", "label", "annotation+label"',
    ],
    [
      'imperative: {jobs: null}',
      'clusterGroup.imperative.jobs is required; null in values.yaml takes its default away',
    ],
    ['imperative: {jobs: [{name: a}]}', 'clusterGroup.imperative.jobs[0].playbook is required; give it'],
    [
      'imperative: {activeDeadlineSeconds: 1.5}',
      'clusterGroup.imperative.activeDeadlineSeconds: 1.5 is a number; write a whole number',
    ],
    [
      'managedClusterGroups: [{nmae: a}]',
      'clusterGroup.managedClusterGroups[0].nmae: unknown key; did you mean name?',
    ],
    ['nodes: [a]', 'clusterGroup.nodes[0]: "a" is text; write a map'],
    ['indexImages: [{url: a}]', 'clusterGroup.indexImages[0].url: unknown key; there are: image, name'],
  ])('%s', (members, line) => expect(said(hub(members))).toEqual([line]))

  it.each([
    ['global: {options: {useCVS: true}}', 'global.options.useCVS: unknown key; did you mean useCSV?'],
    [
      'global: {options: {applicationRetryLimit: "3"}}',
      'global.options.applicationRetryLimit: "3" is text; write a whole number',
    ],
    ...['applications', 'name', 'namespaces'].map((key) => [
      `clusterGroup: {${key}: null}`,
      `clusterGroup.${key} is required; null in values.yaml takes its default away`,
    ]),
    ...['installPlanApproval', 'syncPolicy', 'useCSV'].map((key) => [
      `global: {options: {${key}: null}}`,
      `global.options.${key} is required; null in values.yaml takes its default away`,
    ]),
    ['clusterGroup: {argoCD: {envs: []}}', 'clusterGroup.argoCD.envs: unknown key; did you mean env?'],
    ['clusterGroup: {imperative: {job: []}}', 'clusterGroup.imperative.job: unknown key; did you mean jobs?'],
    ['clusterGroup: null', 'clusterGroup is required; null in values.yaml takes its default away'],
    ['main: {}', 'main.clusterGroupName is required; give it'],
    ['secretStore: {name: null}', 'secretStore.name is required; null in values.yaml takes its default away'],
  ])('%s', (values, line) => expect(said(values)).toEqual([line]))
})

describe('items are looked at in lists', () => {
  it.each([
    ['null', 'null is not expected; give it a map'],
    ['{namespace: a}', '.name is required; give it'],
    ['{name: a, chanel: b}', '.chanel: unknown key; did you mean channel?'],
    ['{name: a, installPlanApproval: Auto}', '.installPlanApproval: "Auto" is none of "Manual", "Automatic"'],
    ['{name: a, channel: 5.10}', '.channel: 5.10 is a number; quote it ("5.10")'],
    ['{name: a, annotations: null}', '.annotations: null is not expected; give it a map'],
    [
      '{name: a, config: {env: []}}',
      '.config: {"env":[]} is a map; write the subscriptions as a map: the schema checks only maps',
    ],
    ['{name: a, config: 5}', '.config: 5 is a number; write a list'],
    ['{name: a, disabled: "false"}', '.disabled: "false" is text; write false without quotes'],
    ['{name: a, sequenceJob: {syncWave: 5}}', '.sequenceJob.syncWave: 5 is a number; quote it ("5")'],
    [
      '{name: a, sequenceJob: {resourceKind: sc}}',
      '.sequenceJob.resourceKind: unknown key; there are: command, disabled, hookType, image, resourceName, resourceNamespace, resourceType, syncWave',
    ],
  ])('of subscriptions: %s', (item, line) => {
    const path = `clusterGroup.subscriptions[0]${line.startsWith('.') ? '' : ': '}${line}`
    expect(said(hub(`subscriptions: [${item}]`))).toEqual([path])
  })
  it.each([
    ['{path: a}', '.name is required; give it'],
    ['{name: a, project: b, argoProject: b}', ': project and argoProject are both there; keep argoProject'],
    ['{name: a, chartVersion: 1.0}', '.chartVersion: 1.0 is a number; quote it ("1.0")'],
    [
      '{name: a, overrides: []}',
      '.overrides: [] is a list; write the applications as a map: the schema checks only maps',
    ],
    ['{name: a, overrides: 5}', '.overrides: 5 is a number; write a map'],
    [
      '{name: a, syncPolicy: Manual}',
      '.syncPolicy: "Manual" is text; write the applications as a map: the schema checks only maps',
    ],
  ])('of applications: %s', (item, line) =>
    expect(said(hub(`applications: [${item}]`))).toEqual([`clusterGroup.applications[0]${line}`]),
  )
  it('maps are free', () => {
    expect(said(hub('subscriptions: {a: {name: a, channel: 5.8}, b: null}'))).toEqual([])
    expect(
      said(
        hub('applications: {a: {name: a, overrides: [], syncPolicy: Manual, project: b, argoProject: b}}'),
      ),
    ).toEqual([])
    expect(said(hub('argoProjects: {a: 1}\nmanagedClusterGroups: {a: {x: 1}}'))).toEqual([])
  })
})

it('projects are in one place', () => {
  const both = 'clusterGroup: projects and argoProjects are both there; move all to argoProjects'
  expect(said(hub('projects: [a]\nargoProjects: [b]'))).toEqual([both])
  expect(said(hub('projects: {a: null}\nargoProjects: null'))).toEqual([both])
  expect(said(hub('projects: []\nargoProjects: [b]'))).toEqual([])
})

it('the file is the one that says it', () => {
  const base = hub('subscriptions: [{name: a}]')
  expect(refusal(base, 'clusterGroup: {name: 5}')).toEqual([
    'values: 1.yaml: clusterGroup.name: 5 is a number; quote it ("5")',
  ])
  expect(refusal(hub('targetCluster: 5'), 'clusterGroup: {namespaces: [a]}')).toEqual([
    'values: values.yaml: clusterGroup.targetCluster: 5 is a number; quote it ("5")',
  ])
})

it('keys of any length fit into a message', () => {
  const [line, ...more] = said(hub(`${'x'.repeat(100_000)}: 1`))
  expect([line!.length < 400, more]).toEqual([true, []])
})

it('many problems are told together, five hundred at most', () => {
  expect(said(hub('name: 5\ntargetCluster: 5\nunknown: 5'))).toHaveLength(3)
  const many = Array.from({ length: 10_000 }, (_, i) => `unknown${i}: 1`).join('\n')
  expect(said(hub(many))).toHaveLength(500)
})
