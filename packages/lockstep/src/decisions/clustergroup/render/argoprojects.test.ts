import { describe, expect, it } from 'vitest'
import { at } from '../../../../../kube/src/object/index.ts'
import { bodyOf, hub, those } from '../clustergroup.cases.ts'

const found = (members: string, top = ''): unknown[] =>
  those('AppProject', hub(members, top)).map((o) => [
    at(o, 'metadata', 'namespace'),
    at(o, 'metadata', 'name'),
    at(o, 'spec', 'description'),
  ])

describe('a project of Argo CD', () => {
  it('may do everything', () => {
    const all = [{ group: '*', kind: '*' }]
    expect(those('AppProject', hub('argoProjects: [a]')).map(bodyOf)).toEqual([
      {
        metadata: { name: 'a', namespace: 'p-hub' },
        spec: {
          description: 'Pattern a',
          destinations: [{ namespace: '*', server: '*' }],
          clusterResourceWhitelist: all,
          namespaceResourceWhitelist: all,
          sourceRepos: ['*'],
        },
        status: {},
      },
    ])
  })
  it.each([
    [
      'projects: [b, a]',
      [
        ['p-hub', 'b', 'Pattern b'],
        ['p-hub', 'a', 'Pattern a'],
      ],
    ],
    ['argoProjects: ["5"]', [['p-hub', 5, 'Pattern 5']]],
    ['projects: []\nargoProjects: [a]', [['p-hub', 'a', 'Pattern a']]],
    ['argoProjects: null', []],
    [
      'argoProjects: {b: null, a: {}}',
      [
        ['p-hub', 'a', 'Pattern map[]'],
        ['p-hub', 'b', 'Pattern '],
      ],
    ],
    [
      'argoProjects: {a: {note: of mine, also: [1, null]}}',
      [['p-hub', 'a', 'Pattern map[also:[1 <nil>] note:of mine]']],
    ],
    ['argoProjects: {a: text}', [['p-hub', 'a', 'Pattern text']]],
  ])('%s', (members, expected) => expect(found(members)).toEqual(expected))

  it('of the plumbing belongs to the shared Argo CD, in the map form', () => {
    const plumbing = 'enabled: plumbing\n'
    expect(found('argoProjects: {a: null}', plumbing)).toEqual([['openshift-gitops', 'a', 'Pattern ']])
    expect(found('argoProjects: [a]', plumbing)).toEqual([['p-hub', 'a', 'Pattern a']])
    expect(found('argoProjects: {a: null}', 'enabled: core\n')).toEqual([['p-hub', 'a', 'Pattern ']])
  })
})
