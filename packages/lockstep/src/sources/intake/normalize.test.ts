/** Canonical metadata: `manifests.md` 2.1 and §3, the rows about namespaces and owners. */
import { expect, it } from 'vitest'
import { normalize } from './normalize.ts'
import { faultLines } from './sourcefailure.ts'

const crd = (scope: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gauges.example.com' },
  spec: { group: 'example.com', scope, names: { kind: 'Gauge', plural: 'gauges' }, versions: [] },
})
const object = (apiVersion: string, kind: string, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'a', ...metadata },
})

function canonical(...objects: object[]) {
  const warnings: string[] = []
  const manifests = objects.map((o, i) => ({ object: o as never, origin: `f.yaml doc ${i + 1}` }))
  const done = normalize(manifests, undefined, (line) => warnings.push(line))
  return { found: done.ok ? done.value.map((o) => o.metadata) : faultLines(done.error), warnings }
}
const RBAC = 'rbac.authorization.k8s.io/v1'

it.each([
  ['ClusterRole', object(RBAC, 'ClusterRole', { namespace: 'app' })],
  ['ClusterRoleBinding', object(RBAC, 'ClusterRoleBinding', { namespace: 'app' })],
  ['Namespace', object('v1', 'Namespace', { namespace: 'app' })],
  ['PriorityClass', object('scheduling.k8s.io/v1', 'PriorityClass', { namespace: 'app' })],
  ['StorageClass', object('storage.k8s.io/v1', 'StorageClass', { namespace: 'app' })],
])('the namespace of a %s is dropped, with a warning', (kind, o) => {
  expect(canonical(o)).toEqual({
    found: [{ name: 'a' }],
    warnings: [
      `W_NAMESPACE_DROPPED f.yaml doc 1: ${kind} a: metadata.namespace is dropped, since the kind is cluster-scoped`,
    ],
  })
})

it('the scope of a kind that the bundle defines is that of its definition', () => {
  const gauge = object('example.com/v1', 'Gauge', { namespace: 'app' })
  expect(canonical(gauge, crd('Cluster')).found).toContainEqual({ name: 'a' })
  expect(canonical(gauge, crd('Namespaced')).found).toContainEqual({ name: 'a', namespace: 'app' })
})

it.each([
  ['empty', ''],
  ['null', null],
])('a namespace that is %s is none', (_, namespace) => {
  expect(canonical(object('v1', 'ConfigMap', { namespace }))).toEqual({
    found: [{ name: 'a' }],
    warnings: [],
  })
})

it('objects that become one are refused with both places, and are one where they are equal', () => {
  const a = object(RBAC, 'ClusterRole', { namespace: 'app' })
  const b = { ...object(RBAC, 'ClusterRole', { namespace: 'other' }), rules: [] }
  expect(canonical(a, b).found).toMatch(/ClusterRole a.*f\.yaml doc 1.*f\.yaml doc 2/)
  expect(canonical(a, object(RBAC, 'ClusterRole')).found).toEqual([{ name: 'a' }])
})

it('owners are dropped with a warning: their uids are of another cluster', () => {
  const owned = object('v1', 'ConfigMap', {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: '1' }],
  })
  expect(canonical(owned)).toEqual({
    found: [{ name: 'a' }],
    warnings: [
      'W_OWNER_DROPPED f.yaml doc 1: ConfigMap a: metadata.ownerReferences are dropped: no manifest knows the uid of its owner',
    ],
  })
  expect(canonical(object('v1', 'ConfigMap', { ownerReferences: [] })).warnings).toEqual([])
})

it('metadata that a server owns is dropped', () => {
  const exported = object('v1', 'ConfigMap', {
    uid: '1',
    resourceVersion: '2',
    generation: 3,
    creationTimestamp: 'now',
    deletionTimestamp: 'now',
    deletionGracePeriodSeconds: 0,
    selfLink: '/',
    managedFields: [],
    finalizers: ['example.com/f'],
  })
  expect(canonical(exported)).toEqual({ found: [{ name: 'a', finalizers: ['example.com/f'] }], warnings: [] })
})
