/** All platforms that people run, on real API servers. Without the servers' programs they are left out. */
import { afterAll, describe } from 'vitest'
import { others, ours, sharp } from '../integration/deliveries.ts'
import { casesOf } from '../integration/platform.cases.ts'
import { runFleetCases } from '../integration/running.ts'
import { realFleet } from '../real/fleet.ts'
import { findPrograms, type RealServers, startRealServers } from '../real/server.ts'

const programs = findPrograms()
if (!programs) process.stdout.write('skipped: platforms on real API servers, whose programs are absent\n')

describe.runIf(programs)('on servers of its own', () => {
  let servers: RealServers | undefined
  afterAll(() => servers?.stop())
  runFleetCases(
    'platforms, on real API servers',
    async () => {
      servers = await startRealServers(programs!, ['hub', 'c1', 'c2'])
      const [hub, c1, c2] = servers.clusters
      return realFleet(hub!, c1!, c2!)
    },
    casesOf([...ours, ...sharp, ...others]),
  )
})
