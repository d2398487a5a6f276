/** Namespaces of objects on a cluster whose discovery tells their scope. */
import { expect, it } from 'vitest'
import { digestOf, type KubeObject } from '../../../../kube/src/object/index.ts'
import { desiredStateOf } from './desiredstate.ts'

const gauge = (namespace: string | undefined, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'example.com/v1',
    kind: 'Gauge',
    metadata: { name: 'a', ...(namespace === undefined ? {} : { namespace }) },
    spec,
  }) as unknown as KubeObject

/** `namespaced` undefined: the cluster does not serve the kind. */
function bound(objects: readonly KubeObject[], namespaced: boolean | undefined, namespace?: string) {
  const served = { plural: 'gauges', hasStatus: false, verbs: [], preferred: true, version: 'v1' }
  const desired = desiredStateOf(
    objects,
    { namespace, ignore: undefined },
    (group, kind) => (namespaced === undefined ? undefined : { group, kind, namespaced, ...served }),
    digestOf,
  )
  if (!desired.ok) return desired.error.message
  return desired.value.objects.map((o) => [o?.object.metadata.namespace, o?.problem])
}

it.each([
  ['of a cluster-scoped kind is dropped', 'app', false, undefined, undefined],
  ['of a namespaced kind stays', 'app', true, 'app', undefined],
  ['of a kind that is not served stays until its scope is known', 'app', undefined, 'app', undefined],
  ['that is missing for a namespaced kind is named', undefined, true, undefined, 'NamespaceMissing'],
])('a namespace %s', (_, written, namespaced, namespace, problem) => {
  expect(bound([gauge(written)], namespaced)).toEqual([[namespace, problem]])
})

it('spec.render.namespace is for namespaced kinds', () => {
  expect(bound([gauge(undefined)], true, 'team')).toEqual([['team', undefined]])
  expect(bound([gauge(undefined)], false, 'team')).toEqual([[undefined, undefined]])
})

it('objects that become one on the cluster are refused, with the namespace that each names', () => {
  const two = [gauge('app'), gauge('other', { v: 2 })]
  expect(bound(two, false)).toMatch(/with metadata\.namespace app, with metadata\.namespace other/)
  expect(bound([gauge('app'), gauge(undefined)], false)).toEqual([[undefined, undefined]])
})
