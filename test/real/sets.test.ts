/** The cases of ClusterResourceSets on real API servers of their own: a hub has one process of controllers. */
import { afterAll, beforeAll } from 'vitest'
import { setCases } from '../integration/sets.cases.ts'
import { runSetCases } from '../integration/sets.place.ts'
import { clusterApiCrds } from './clusterapimanager.ts'
import { realFleet } from './realfleet.ts'
import { findPrograms, type RealServers, startRealServers } from './realservers.ts'

let servers: RealServers
beforeAll(async () => {
  servers = await startRealServers(findPrograms()!, ['hub', 'c1'], ['old'])
}, 120_000)
afterAll(() => servers?.stop(), 60_000)

const named = (name: string) => servers.clusters.find((c) => c.name === name)!

for (const [version, release, hub] of [
  ['v1beta2', '1.13', 'hub'],
  ['v1beta1', '1.9', 'old'],
] as const) {
  // No case has a second cluster.
  const fleet = () => realFleet(named(hub), named('c1'), named('c1'))
  const { definitions, whose } = clusterApiCrds(release)
  runSetCases(
    `ClusterResourceSets of ${version}, ${whose} definitions, on real API servers`,
    fleet,
    setCases,
    {
      version,
      definitions,
    },
  )
}
