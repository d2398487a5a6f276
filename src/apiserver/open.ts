import type { Env } from '../env/env.ts'
import { Kinds } from './resources/kinds.ts'
import { temporaryKinds } from './resources/temporary.ts'
import { ok } from '../env/result.ts'
import type { Cluster, Profile } from './cluster.ts'
import { bootNamespaces } from './namespaces/boot.ts'
import { allocator } from './resources/allocate.ts'
import { Store } from './store/store.ts'
import type { CommitListener } from './trace.ts'
import { traceWrites } from './trace.ts'
import type { FieldManager } from './apply/types.ts'
import { applyMergePatch } from '../object/object.ts'

const untracked: FieldManager = {
  apply: ({ live, config }) =>
    ok({ object: applyMergePatch(live as never, config as never) as never, changed: true }),
  update: ({ next }) => next,
}

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
    fields: untracked,
    allocate: allocator(own.random, kinds),
    profile,
  }
  if (onCommit) traceWrites(store, name, onCommit)
  for (const kind of temporaryKinds(store)) kinds.set(kind)
  if (profile === 'cluster') bootNamespaces(cluster)
  return cluster
}
