/** Values that say something to nobody here: what only the chart's other templates read, and keys that nothing reads. */
import { isArray, isObject, type JsonObject } from '@lockstep/kube/object'
import { SEQUENCE_JOB_KEYS, SUBSCRIPTION_KEYS } from '../schema/clustergroupshape.ts'
import { suggestKey } from '../schema/shape.ts'
import type { ValuesField } from './field.ts'
import type { Group } from './group.ts'

/** Argo CD and its rights, jobs and secrets of the pattern, other clusters: accepted, and rendered by the chart alone. */
const IDLE: readonly (readonly string[])[] = [
  ['clusterGroup', 'argoCD'],
  ['clusterGroup', 'imperative'],
  ['clusterGroup', 'managedClusterGroups'],
  ['secretStore'],
  ['secretLoader'],
]

/** `given`: without the defaults. */
export function noteUnusedValues(g: Group, given: ValuesField): void {
  for (const path of IDLE) {
    const found = path.reduce<ValuesField>((f, name) => f.get(name), given)
    if (found.isTruthy)
      found.warn(' renders nothing here', {
        todo: 'use render.helm with the chart, or leave it to the patterns operator',
        trap: 'Idle',
      })
  }
  const excluded = g.own.get('operatorgroupExcludeTargetNS')
  if (excluded.isTruthy)
    excluded.warn(' has no effect, since no template reads it', {
      todo: 'write targetNamespaces: [] at the namespace for all namespaces, or operatorGroup: false for none',
      trap: 'G4',
    })
  const all = g.own.get('subscriptions')
  // Of a list the schema refuses them.
  if (isArray(all.value)) return
  for (const { field } of isObject(all.value) ? all.members()! : []) {
    sayUnknown(field, SUBSCRIPTION_KEYS)
    sayUnknown(field.get('sequenceJob'), SEQUENCE_JOB_KEYS)
  }
}

function sayUnknown(f: ValuesField, known: readonly string[]): void {
  for (const key of isObject(f.value) ? Object.keys(f.value as JsonObject).sort() : [])
    if (!known.includes(key))
      f.get(key).warn(': nothing reads it', { todo: suggestKey(key, known), trap: 'V3' })
}
