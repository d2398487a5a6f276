/**
 * How an application of a cluster group is on the cluster of a unit of the group, whose later waves wait for it. It is a Module
 * beside the group that needs the group's earlier waves, so this is a wait and no edge: nobody's admission hangs on it.
 */
import { type JsonObject, jsonEqual, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type Inventory, type ModuleSpec, moduleKind, moduleSpec } from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { type Application, applicationModuleName } from '../../decisions/clustergroup/index.ts'
import { type ModuleRef, moduleId, moduleWaitRef, unitRef } from '../../decisions/graph/index.ts'
import { contentOfSpec } from '../../decisions/revision/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { WaitResult } from '../../deliver/state/index.ts'
import {
  type HubCaches,
  holdsOn,
  isOtherCluster,
  observedUnit,
  type RevisionRecord,
  revisionName,
} from '../cache/index.ts'
import { hubTime } from '../runtime/index.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/**
 * Met once its unit is admitted to what this revision of the group has of it, at the same release where there is one, and is
 * healthy there. A group that is apart from its fleet takes it as it stands.
 */
export function applicationWait(
  c: UnitDeps,
  { ref, cluster, session, inventory: own, record }: UnitScope,
  revision: RevisionRecord,
  name: string,
): WaitResult {
  const { hub } = c
  const group = revision.module
  const to = {
    kind: moduleKind.kind,
    namespace: ref.namespace,
    name: applicationModuleName(group.name, name),
  }
  const on = [unitRef({ to }, cluster.name)] as const
  const open = (blocker: NewBlocker, isFailed = false): WaitResult => ({
    type: 'application',
    blocker,
    isFailed,
  })
  const edge = to.name
  const application = revision.applications.find((a) => a.name === name)
  if (!application) return open(blocked('WaitNotFound', [moduleWaitRef({ to })], { state: 'NotFound' }))
  const unit = unitOf(hub, to, ref.owner, cluster.name)
  const admitted = unit?.spec.admitted
  if (!unit || !admitted || isOtherCluster(unit, session.uid))
    return open(
      hub.module(to)
        ? blocked('DependencyNotStarted', on, { edge, state: 'NotDeployed' })
        : blocked('DependencyMissing', [moduleWaitRef({ to })], { edge }),
    )
  const seen = observedUnit(unit)
  if (record?.apart === undefined) {
    const release = own.spec.admitted?.release
    if (release !== undefined && admitted.release !== undefined && admitted.release !== release)
      return open(behindBlocker(c, to, on, release))
    const published = hub.revisions.store.get({
      namespace: to.namespace,
      name: revisionName(to, admitted.revision),
    })
    if (!published || !isContent(application, published)) return open(behindBlocker(c, to, on))
  }
  if (seen.healthy && seen.verifiedGateDigest === seen.admittedGateDigest) return { type: 'met' }
  const isFailed = unit.status?.admittedSerial === admitted.serial && unit.status.state === 'Failed'
  const { release } = admitted
  const facts = { edge, state: 'Deploying', release, detail: seen.detail } as const
  return open(blocked('DependencyNotReady', on, facts), isFailed)
}

/** The unit keeps another release, or other content, until it is deployed, or its Hold ends. */
function behindBlocker(
  { hub, env }: UnitDeps,
  to: ModuleRef,
  [unit]: readonly [WaitRefOf<'Unit'>],
  release?: string,
): NewBlocker {
  const holds = holdsOn(hub, to, hubTime({ hub, env }).nowMs)
  const hold = holds.find((h) => h.clusters === undefined || h.clusters.includes(unit.cluster ?? ''))
  const { namespace, name: edge } = to
  const on = hold ? ([unit, { kind: 'Hold', namespace, name: hold.name }] as const) : ([unit] as const)
  return blocked('DependencyNotStarted', on, {
    edge,
    state: release === undefined ? 'OtherContent' : 'NotDeployed',
    release,
  })
}

/** Of who delivers the group; what others deliver is found by what its Module has published. */
function unitOf(
  hub: HubCaches,
  to: ModuleRef,
  owner: string | undefined,
  cluster: string,
): Stored<Inventory> | undefined {
  const { namespace } = to
  if (owner === undefined) return hub.unit(to, cluster)
  for (const { revision } of hub.revisions.store.by('module', moduleId(to)))
    for (const i of hub.inventories.store.by('foreign', `${namespace} ${revision}`))
      if (refOfInventory(i).owner === owner && i.spec.clusterRef.name === cluster) return i
  return undefined
}

type ApplicationContent = Pick<ModuleSpec, 'source' | 'render' | 'apply'>

/** Both with all defaults, however they were written. */
function isContent(application: Application, { spec }: RevisionRecord): boolean {
  const [wanted, there] = [contentOf(application.spec), contentOf(spec)]
  return wanted !== undefined && there !== undefined && jsonEqual(wanted, there)
}

function contentOf({
  source,
  render,
  apply,
}: Partial<ApplicationContent> | Application['spec']): JsonObject | undefined {
  const read = moduleSpec.safeParse({
    source,
    ...(render === undefined ? {} : { render }),
    ...(apply === undefined ? {} : { apply }),
  })
  if (!read.success) return undefined
  const { source: from, render: by, apply: how } = read.data
  return contentOfSpec({ source: from, render: by ?? null, apply: how } as unknown as JsonObject)
}
