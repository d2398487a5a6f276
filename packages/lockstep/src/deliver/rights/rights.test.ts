import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { Module } from '../../api/kinds/index.ts'
import { moduleSpec } from '../../api/kinds/index.ts'
import { heldRights } from './heldrights.ts'
import { type NeededRight, neededRights } from './neededrights.ts'
import { resourceRightsOf, roleRules } from './rolerules.ts'

const right = (verb: string, more: Partial<NeededRight> = {}): NeededRight => ({
  verb,
  group: '',
  resource: 'secrets',
  namespace: 'a',
  usedBy: 'source',
  ...more,
})

describe('rules', () => {
  it('a right on all objects, or on the whole hub, includes narrower ones', () => {
    const rights = [
      right('get', { name: 'db', usedBy: 'bindings' }),
      right('list', { name: 'db', usedBy: 'bindings' }),
      right('get'),
      right('get', { namespace: 'b' }),
      right('list', { namespace: undefined }),
    ]
    expect(resourceRightsOf(rights).map((r) => [r.namespace, r.name, r.verbs, r.usedBy])).toEqual([
      [undefined, undefined, ['list'], ['source', 'bindings']],
      ['a', undefined, ['get'], ['source']],
      ['b', undefined, ['get'], ['source']],
    ])
  })
  it('resources with equal verbs share a rule, and names of one resource do', () => {
    const rights = resourceRightsOf([
      right('get', { name: 'x' }),
      right('get', { name: 'y' }),
      right('get', { resource: 'configmaps' }),
      right('get', { resource: 'services' }),
      right('watch', { resource: 'pods' }),
    ])
    expect(roleRules(rights)).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'services'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['watch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['x', 'y'] },
    ])
  })
})

describe('the writer of', () => {
  const rbac = (kind: string, more: object): KubeObject =>
    ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'r', namespace: 'a' },
      ...more,
    }) as never
  const role = rbac('Role', { rules: [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }] })
  const binding = (kind: string, name: string) => rbac('RoleBinding', { roleRef: { kind, name } })
  const module = (serviceAccountName?: string): KubeObject =>
    ({
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name: 'm', namespace: 'b' },
      spec: { serviceAccountName },
    }) as never
  it.each<[string, KubeObject, object[]]>([
    ['a Role holds its rights', role, [{ verb: 'get', group: '', resource: 'pods/log', namespace: 'a' }]],
    ['a binding to a Role beside it needs nothing more', binding('Role', 'r'), []],
    [
      'a binding to another role may bind it',
      binding('ClusterRole', 'view'),
      [
        {
          verb: 'bind',
          group: 'rbac.authorization.k8s.io',
          resource: 'clusterroles',
          namespace: 'a',
          name: 'view',
        },
      ],
    ],
    [
      'a Module may act as its account',
      module(),
      [
        {
          verb: 'impersonate',
          group: '',
          resource: 'serviceaccounts',
          namespace: 'b',
          name: 'lockstep-deployer',
        },
      ],
    ],
    [
      'a Module that names an account may act as that',
      module('web'),
      [{ verb: 'impersonate', group: '', resource: 'serviceaccounts', namespace: 'b', name: 'web' }],
    ],
  ])('%s', (_, o, rights) => expect(heldRights(o, [role])).toEqual(rights))
})

describe('a Module that is not deployed to the hub', () => {
  const moduleOf = (given: object): Module =>
    ({ metadata: { name: 'm', namespace: 'a' }, spec: moduleSpec.parse(given) }) as unknown as Module
  const needed = (given: object) => {
    const need = neededRights({
      module: moduleOf(given),
      find: () => undefined,
      named: () => undefined,
      desired: undefined,
    })
    return { ...need, rights: resourceRightsOf(need.rights).map((r) => [r.resource, r.name, r.usedBy]) }
  }
  it('reads its sources, credentials and bindings', () => {
    expect(
      needed({
        source: {
          git: { url: 'https://x/y', ref: { branch: 'main' }, secretRef: { name: 'git' } },
        },
        bindings: [
          { name: 'A', secretKeyRef: { name: 'db', key: 'k' } },
          { name: 'B', configMapKeyRef: { name: 'cm', key: 'k' } },
        ],
      }),
    ).toEqual({
      unserved: [],
      rights: [
        ['configmaps', undefined, ['bindings']],
        ['secrets', 'db', ['bindings']],
        ['secrets', 'git', ['credentials']],
      ],
    })
  })
  it('names kinds that no API serves', () => {
    const gates = [{ apiVersion: 'x.io/v1', kind: 'Window', name: 'w' }]
    const rollout = { strategy: 'Staged', stages: [{ name: 's', clusterSelector: {}, gates }] }
    expect(needed({ source: { none: {} }, rollout }).unserved).toEqual(['x.io/v1 Window'])
  })
})
