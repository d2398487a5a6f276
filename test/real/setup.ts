/** Starts the real servers once for all files of a run. */
import type { TestProject } from 'vitest/node'
import { findPrograms, type RealCluster, startRealServers } from './realservers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    realClusters: readonly RealCluster[]
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = findPrograms()
  if (!programs)
    throw new Error('kube-apiserver, etcd and kube-controller-manager are not there: set KUBEBUILDER_ASSETS')
  const servers = await startRealServers(programs, ['hub', 'c1', 'c2'], ['bare'])
  project.provide('realClusters', servers.clusters)
  return () => servers.stop()
}
