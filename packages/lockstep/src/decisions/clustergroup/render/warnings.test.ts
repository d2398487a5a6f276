import { describe, expect, it } from 'vitest'
import { hub, refusal, warnings } from '../clustergroup.cases.ts'

const said = (members: string, top = ''): string[] =>
  warnings(hub(members, top)).map((w) => w.replace('values.yaml: clusterGroup.', ''))

describe('what comes out otherwise than it is written is said, old and new', () => {
  const sub = (members: string): string[] =>
    said(`subscriptions: {a: {name: a, ${members}}}`).map((w) => w.replace('subscriptions.a.', ''))
  it.each([
    [
      'channel: "5.10"',
      'channel: "5.10" becomes 5.1, since the chart writes it without quotes; use what reads as text',
    ],
    ['channel: 5.10', 'channel: 5.10 becomes 5.1; quote it to keep it'],
    [
      'channel: "yes"',
      'channel: "yes" becomes true, since the chart writes it without quotes; use what reads as text',
    ],
    ['channel: 1e3', 'channel: 1e3 becomes 1000; quote it to keep it'],
    ['csv: "~"', 'csv: "~" becomes null, since the chart writes it without quotes; use what reads as text'],
    ['annotations: {w: 1000000}', 'annotations.w: 1000000 becomes "1e+06"; quote it to keep it'],
    ['annotations: {w: on}', 'annotations.w: on becomes "true"; quote it to keep it'],
    ['annotations: {w: 0755}', 'annotations.w: 0755 becomes "493"; quote it to keep it'],
    ['annotations: {w: 0}', 'annotations.w: 0 becomes ""'],
    ['annotations: {w: false}', 'annotations.w: false becomes ""'],
    ['version: 1.10', 'version: 1.10 becomes "1.1"; quote it to keep it'],
    [
      'annotations: {}, sequenceJob: {syncWave: "1", resourceType: sc, resourceName: 1.10}',
      'sequenceJob.resourceName: 1.10 becomes "1.1"; quote it to keep it',
    ],
    [
      'annotations: {}, sequenceJob: {syncWave: "1", resourceType: sc, resourceName: a, resourceNamespace: n}',
      'sequenceJob.resourceNamespace: a text that is false in YAML 1.1 is not a namespace; quote it',
    ],
  ])('%s', (members, line) => expect(sub(members)).toEqual([line]))

  it.each([
    'channel: 7.12.0',
    'channel: 4',
    'channel: 1000000',
    'channel: stable',
    'csv: ""',
    'annotations: {w: 5, v: "5.10", t: true, u: null}',
  ])('%s is kept', (members) => expect(sub(members)).toEqual([]))

  it('whole numbers beyond 2^53, in extra objects, too', () => {
    const extra = (n: string): string => hub(`extraObjects: {a: {kind: A, at: [9007199254740991, ${n}]}}`)
    expect(warnings(extra('9007199254740993'))).toEqual([
      'values.yaml: clusterGroup.extraObjects.a.at[1]: 9007199254740993 becomes 9007199254740992: numbers are doubles; quote it to keep it',
    ])
    expect(warnings(extra('9007199254740992'))).toEqual([])
    expect(warnings(extra('9007199254740993'), extra('1'))).toEqual([])
  })

  it('but for what stands in place of it', () =>
    expect(
      warnings('global: {options: {applicationRetryLimit: 0}}', hub('applications: {a: {name: a}}')),
    ).toEqual([]))

  it('once, however often it is written', () =>
    expect(
      warnings('global: {clusterVersion: 4.10}', hub('applications: {a: {name: a}, b: {name: b}}')),
    ).toEqual(['values.yaml: global.clusterVersion: 4.10 becomes "4.1"; quote it to keep it']))
})

describe('what renders nothing here is said', () => {
  it.each([
    ['imperative: {jobs: [{name: a, playbook: b}]}', 'imperative'],
    ['managedClusterGroups: {a: {name: a}}', 'managedClusterGroups'],
    ['argoCD: {env: []}', 'argoCD'],
  ])('%s', (members, key) =>
    expect(said(members)).toEqual([
      `${key} renders nothing here; use render.helm with the chart, or leave it to the patterns operator`,
    ]),
  )
  it('unless there is nothing in it', () =>
    expect(said('imperative: {}\nmanagedClusterGroups: []')).toEqual([]))
})

it('a value that YAML would read as something else is refused, and nothing is rendered', () =>
  expect(refusal(hub('subscriptions: {x: {name: x, channel: "a: b"}}\nnamespaces: [a]'))).toEqual([
    'template: values.yaml: clusterGroup.subscriptions.x.channel: "a: b" is not a plain value; the chart\'s output would not parse',
  ]))
