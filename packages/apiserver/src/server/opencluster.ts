import type { Env } from '@lockstep/kube/env'
import { createFieldManager } from '../apply/fieldmanager.ts'
import { Aggregation } from '../auth/rbac/aggregation.ts'
import { bootRoles } from '../auth/rbac/bootroles.ts'
import { RBAC } from '../auth/rbac/rolegrants.ts'
import { Issuer } from '../auth/tokens/issuer.ts'
import { builtinKinds } from '../builtin/builtinkinds.ts'
import { runDefinitions } from '../crd/rundefinitions.ts'
import { DependentCollector } from '../gc/dependentcollector.ts'
import { bootNamespaces } from '../namespaces/bootnamespaces.ts'
import { NamespaceController } from '../namespaces/namespacecontroller.ts'
import { allocator } from '../resources/allocator.ts'
import { KindRegistry } from '../resources/kindregistry.ts'
import { ResourceStore } from '../store/resourcestore.ts'
import type { Snapshot } from '../store/snapshot.ts'
import type { ClusterProfile, EmbeddedCluster } from './embeddedcluster.ts'
import type { CommitListener } from './tracewrites.ts'
import { traceWrites } from './tracewrites.ts'

/** A new cluster with what every cluster has from the start, or with the objects of a snapshot. */
export function openCluster(
  env: Env,
  name: string,
  profile: ClusterProfile,
  onCommit?: CommitListener,
  from?: Snapshot,
): EmbeddedCluster {
  const store = new ResourceStore(env.clock)
  const kinds = new KindRegistry()
  const own = { ...env, random: env.random.fork(`apiserver ${name}`) }
  const cluster: EmbeddedCluster = {
    name,
    env: own,
    store,
    kinds,
    fields: createFieldManager(),
    allocate: allocator(own.random, store),
    issuer: new Issuer(own.random.fork('tokens')),
    profile,
  }
  if (onCommit && !from) traceWrites(store, name, onCommit)
  for (const kind of builtinKinds(store))
    if (profile === 'cluster' || kind.info.group === 'apiextensions.k8s.io') kinds.set(kind)
  runDefinitions(cluster)
  if (profile === 'cluster') runControllers(cluster, from === undefined)
  if (from) {
    store.restore(from)
    // The cluster that wrote the restored objects has traced them.
    if (onCommit) traceWrites(store, name, onCommit)
  }
  return cluster
}

function runControllers(cluster: EmbeddedCluster, isNew: boolean): void {
  const namespaces = cluster.kinds.find('', 'v1', 'namespaces')
  if (namespaces) new NamespaceController(cluster, namespaces)
  new DependentCollector(cluster)
  if (isNew) {
    bootNamespaces(cluster)
    bootRoles(cluster)
  }
  const roles = cluster.kinds.find(RBAC, 'v1', 'clusterroles')
  if (roles) new Aggregation(cluster, roles)
}
