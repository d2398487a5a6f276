import type { Env } from '../env/env.ts'
import { Kinds } from './resources/kinds.ts'
import { temporaryKinds } from './resources/temporary.ts'
import type { Cluster, Profile } from './cluster.ts'
import { bootNamespaces } from './namespaces/boot.ts'
import { allocator } from './resources/allocate.ts'
import { Store } from './store/store.ts'
import type { CommitListener } from './trace.ts'
import { traceWrites } from './trace.ts'
import { createFieldManager } from './apply/fieldmanager.ts'
import { runDefinitions } from './crd/controller.ts'

/** A new cluster with what every cluster has from the start. */
export function openCluster(env: Env, name: string, profile: Profile, onCommit?: CommitListener): Cluster {
  const store = new Store(env.clock)
  const kinds = new Kinds()
  const own = { ...env, random: env.random.fork(`apiserver ${name}`) }
  const cluster: Cluster = {
    name,
    env: own,
    store,
    kinds,
    fields: createFieldManager(),
    allocate: allocator(own.random, kinds),
    profile,
  }
  if (onCommit) traceWrites(store, name, onCommit)
  for (const kind of temporaryKinds(store))
    if (profile === 'cluster' || kind.info.group === 'apiextensions.k8s.io') kinds.set(kind)
  runDefinitions(cluster)
  if (profile === 'cluster') bootNamespaces(cluster)
  return cluster
}
