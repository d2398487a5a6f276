/** An object that a blocker of its unit is about: its identity, and its own message. */
import { isString, parseApiVersion, type Stored } from '@lockstep/kube/object'
import type { InventoryStatus, Module } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { isWaitRefOf } from '../../../deliver/state/index.ts'
import { type FleetSnapshot, inventoryOf } from '../snapshot/index.ts'
import { type ObjectWithPods, objectStateText, podNodes } from './podnodes.ts'
import type { WantedObject, WhyNode } from './whytree.ts'

export type ChainBlocker = NonNullable<InventoryStatus['blockers']>[number]

const moduleRefOf = ({ kind, metadata: { namespace = '', name } }: Stored<Module>): ModuleRef => ({
  kind: kind as ModuleRef['kind'],
  namespace,
  name,
})

/** The object that a blocker is about, as the Inventory lists it. */
export function namedObject(
  s: FleetSnapshot,
  module: Stored<Module>,
  cluster: string,
  b: ChainBlocker,
): WantedObject | undefined {
  const inventory = inventoryOf(s, module.metadata.name, cluster)
  const revision = inventory?.spec.admitted?.revision
  const entry = inventory?.spec.objects?.find((o) => isWaitRefOf(o, b.on?.[0]))
  if (!entry) return undefined
  const { namespace } = entry
  return {
    cluster,
    group: entry.group,
    version: parseApiVersion(entry.version).version,
    kind: entry.kind,
    name: entry.name,
    ...(namespace ? { namespace } : {}),
    ...(revision ? { admitted: { module: moduleRefOf(module), revision } } : {}),
  }
}

/** `live`: undefined where it was not read yet. */
export function objectCause(
  wanted: WantedObject,
  live: ObjectWithPods | undefined,
  b: ChainBlocker,
  nowMs: number,
  place: { readonly module: string; readonly cluster: string },
): WhyNode {
  const name = wanted.namespace ? `${wanted.namespace}/${wanted.name}` : wanted.name
  // The label names the object: the fact alone is shorter than the message.
  const detail = b.facts?.detail ?? b.facts?.error
  const said = isString(detail) ? detail : b.message
  const { reason, text, rule } = objectStateText(live, nowMs, { reason: b.reason, text: said })
  const children = live ? podNodes(live, nowMs, place) : []
  return {
    label: `${wanted.kind} ${name}`,
    reason,
    text,
    since: b.since,
    ...(rule === undefined ? {} : { rule }),
    ...place,
    ...(children.length === 0 ? { isRoot: true } : {}),
    children,
  }
}
