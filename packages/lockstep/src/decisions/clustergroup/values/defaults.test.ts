import { describe, expect, it } from 'vitest'
import { at } from '../../../../../kube/src/object/index.ts'
import { bodyOf, made, those } from '../clustergroup.cases.ts'

const APP = 'clusterGroup: {applications: {a: {name: a, path: a}}}'

describe('where no file says anything', () => {
  it('nothing is rendered', () => expect(made('')).toEqual({ objects: [], warnings: [] }))
  it('an application is of group example of pattern common, and synced automatically', () => {
    const app = those('Application', APP)[0]
    expect(at(app, 'metadata')).toMatchObject({
      namespace: 'common-example',
      labels: { 'validatedpatterns.io/pattern': 'common' },
    })
    expect(at(app, 'spec')).toMatchObject({
      destination: { name: 'in-cluster', namespace: 'common-example' },
      project: 'default',
      source: {
        repoURL: null,
        targetRevision: 'main',
        helm: { valueFiles: ['/values-global.yaml', '/values-example.yaml'] },
      },
      syncPolicy: { automated: {}, retry: { limit: 20 } },
    })
  })
  it('an operator is updated automatically, from a CSV if one is named', () =>
    expect(those('Subscription', 'clusterGroup: {subscriptions: {a: {name: a}}}').map(bodyOf)).toEqual([
      {
        metadata: { name: 'a', namespace: 'openshift-operators' },
        spec: {
          name: 'a',
          source: 'redhat-operators',
          sourceNamespace: 'openshift-marketplace',
          installPlanApproval: 'Automatic',
          startingCSV: null,
        },
      },
    ]))
})

describe('the namespace of Argo CD', () => {
  it.each([
    ['global: {pattern: p}\nclusterGroup: {name: g}', 'p-g'],
    ['global: {pattern: p, singleArgoCD: false, vpArgoNamespace: argo}', 'p-example'],
    ['global: {pattern: p, singleArgoCD: true}', 'openshift-gitops'],
    ['global: {pattern: p, singleArgoCD: true, vpArgoNamespace: argo}', 'argo'],
    ['global: {pattern: null}', '-example'],
  ])('of %j is %s', (values, namespace) =>
    expect(at(those('Application', APP, values)[0], 'metadata', 'namespace')).toBe(namespace),
  )
})
