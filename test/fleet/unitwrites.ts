/** Which part of an Inventory a request changes, by the object that is stored when it is sent. */
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { SimFleet } from './simfleet.ts'

type Objects = Pick<SimFleet, 'objects'>

const INVENTORY = /\/inventories(\/[^/?]+)?(\?|$)/

function changes({ objects }: Objects, { method, path, body }: NetRequest, part: string): boolean {
  if ((method !== 'PUT' && method !== 'POST') || !INVENTORY.test(path) || body === undefined) return false
  const next = JSON.parse(body) as KubeObject
  const { name, namespace } = next.metadata
  const stored = objects('inventories.lockstep.dev').find(
    (o) => o.metadata.name === name && o.metadata.namespace === namespace,
  )
  const [before, after] = [at(stored, 'spec', part, 'serial'), at(next, 'spec', part, 'serial')]
  return after !== undefined && before !== after
}

/** Something is assigned, or that the unit is removed. */
export const isAssignmentWrite =
  (fleet: Objects) =>
  (r: NetRequest): boolean =>
    changes(fleet, r, 'assigned')

/** A unit is admitted. */
export const isAdmissionWrite =
  (fleet: Objects) =>
  (r: NetRequest): boolean =>
    changes(fleet, r, 'admitted')
