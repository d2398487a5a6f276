/**
 * How an application of a cluster group is on the cluster of a unit of the group, whose later waves wait for it. It is a Module
 * beside the group that needs the group's earlier waves, so this is a wait and no edge: nobody's admission hangs on it.
 */
import { type JsonObject, jsonEqual, type Stored } from '@lockstep/kube/object'
import { type Inventory, type ModuleSpec, moduleKind, moduleSpec } from '../../api/kinds/index.ts'
import { type Application, applicationModuleName } from '../../decisions/clustergroup/index.ts'
import { type ModuleRef, moduleId, moduleText } from '../../decisions/graph/index.ts'
import { contentOfSpec } from '../../decisions/revision/index.ts'
import { inventoryName, refOfInventory } from '../../deliver/plan/index.ts'
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
  const open = (reason: OpenWait['reason'], text: string, isFailed = false): WaitResult => ({
    type: 'open',
    reason,
    text,
    isFailed,
    subject: `${moduleText(to)}@${cluster.name}`,
  })
  const application = revision.applications.find((a) => a.name === name)
  if (!application) return open('WaitNotFound', `${group.name} has no application ${name}`)
  const unit = unitOf(hub, to, ref.owner, cluster.name)
  const admitted = unit?.spec.admitted
  if (!unit || !admitted || isOtherCluster(unit, session.uid))
    return hub.module(to)
      ? open('DependencyNotStarted', `${to.name} is not admitted on ${cluster.name}`)
      : open('DependencyMissing', `Module ${to.namespace}/${to.name} does not exist`)
  const seen = observedUnit(unit)
  if (record?.apart === undefined) {
    const release = own.spec.admitted?.release
    if (release !== undefined && admitted.release !== undefined && admitted.release !== release)
      return open(
        'DependencyNotStarted',
        `${to.name} is at ${admitted.release} on ${cluster.name}, ${group.name} at ${release}${heldText(c, to, cluster.name)}`,
      )
    const published = hub.revisions.store.get({
      namespace: to.namespace,
      name: revisionName(to, admitted.revision),
    })
    if (!published || !isContent(application, published))
      return open(
        'DependencyNotStarted',
        `${to.name} is not yet on ${cluster.name} as ${group.name} has it${heldText(c, to, cluster.name)}`,
      )
  }
  if (seen.healthy && seen.verifiedGateDigest === seen.admittedGateDigest) return { type: 'met' }
  const isFailed = unit.status?.admittedSerial === admitted.serial && unit.status.state === 'Failed'
  return open(
    'DependencyNotReady',
    `${to.name} is admitted on ${cluster.name}, not healthy: ${seen.detail}`,
    isFailed,
  )
}

type OpenWait = Extract<WaitResult, { type: 'open' }>

/** Of who delivers the group; what others deliver is found by what its Module has published. */
function unitOf(
  hub: HubCaches,
  to: ModuleRef,
  owner: string | undefined,
  cluster: string,
): Stored<Inventory> | undefined {
  const { namespace } = to
  if (owner === undefined) return hub.inventories.store.get({ namespace, name: inventoryName(to, cluster) })
  for (const { revision } of hub.revisions.store.by('module', moduleId(to)))
    for (const i of hub.inventories.store.by('foreign', `${namespace} ${revision}`))
      if (refOfInventory(i).owner === owner && i.spec.clusterRef.name === cluster) return i
  return undefined
}

/** It stays as it is until somebody takes the Hold away. */
function heldText({ hub, env }: UnitDeps, to: ModuleRef, cluster: string): string {
  const holds = holdsOn(hub, to, hubTime({ hub, env }).nowMs)
  const hold = holds.find((h) => h.clusters === undefined || h.clusters.includes(cluster))
  return hold === undefined ? '' : `, which Hold ${hold.name} keeps back`
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
