/** Objects that no unit holds and that several Modules of the end of a plan contain: the first that starts owns them. */
import { identityOf, type ObjectReference, type Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import type { ClaimSet } from '../../decisions/ownership/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import type { ServedKinds } from '../../fleet/connection/index.ts'
import { findRevisionRecord, type RevisionRecord } from '../cache/index.ts'
import { type Contender, claimsCluster, contendersOf, insistsOn } from '../claims/index.ts'
import type { UnitClaimsDeps } from '../unit/index.ts'
import type { FleetObjects } from './fleetcopy.ts'

export interface ContestedObject {
  readonly cluster: string
  readonly object: ObjectReference
  readonly modules: readonly [ModuleRef, ModuleRef]
}

export interface ContestInput {
  readonly end: FleetObjects
  readonly inventories: readonly Stored<Inventory>[]
  readonly claims: UnitClaimsDeps
  readonly served: ServedKinds['served']
}

export async function contestedObjects(input: ContestInput): Promise<ContestedObject[]> {
  const { end, claims } = input
  const held = new Set(
    input.inventories.flatMap(({ spec }) =>
      (spec.objects ?? []).map((o) => `${spec.clusterRef.name} ${identityOf(o)}`),
    ),
  )
  const found: ContestedObject[] = []
  for (const module of end.modules) {
    const ref = moduleRefOf(module)
    const record = findRevisionRecord(claims.hub, ref, module.status?.currentRevision)
    if (ref.namespace !== end.namespace || !record) continue
    const contenders = contendersOf(claims.hub, record).filter((c) => isPair(ref, c))
    if (contenders.length > 0) found.push(...(await contestsOf(input, record, contenders, held)))
  }
  return found
}

/** Each pair once. A Module that lists the other one takes the object. */
function isPair(ref: ModuleRef, { other }: Contender): boolean {
  const listed = other.spec.apply.takeOverFrom ?? []
  const isListed = listed.some(({ kind, name }) => kind === ref.kind && name === ref.name)
  return moduleId(ref) < moduleId(other.module) && !isListed
}

async function contestsOf(
  { end, claims, served }: ContestInput,
  record: RevisionRecord,
  contenders: readonly Contender[],
  held: ReadonlySet<string>,
): Promise<ContestedObject[]> {
  const { hub, fleet, env } = claims
  const found: ContestedObject[] = []
  for (const view of fleet.of(end.namespace)) {
    const setOf = (of: RevisionRecord): Promise<ClaimSet | undefined> =>
      claims.content.claims.reader.setOf(of, { view, served }, undefined)
    if (!claimsCluster(hub.module(record.module), view)) continue
    const own = await setOf(record)
    for (const { claim, other } of contenders) {
      if (held.has(`${view.name} ${identityOf(claim)}`) || own?.match(claim)?.type !== 'Owned') continue
      if (!insistsOn({ hub, nowMs: env.clock.now() }, other, view)) continue
      if ((await setOf(other))?.match(claim)?.type !== 'Owned') continue
      found.push({ cluster: view.name, object: claim, modules: [record.module, other.module] })
    }
  }
  return found
}
