/** All platforms that people run, on real API servers. Without the servers' programs they are left out. */
import { afterAll, describe } from 'vitest'
import { casesOf } from '../integration/platform.cases.ts'
import { others, ours, sharp } from '../integration/platformdeliveries.ts'
import { runFleetCases } from '../integration/runfleetcases.ts'
import { realFleet } from '../real/realfleet.ts'
import { findPrograms, type RealServers, startRealServers } from '../real/realservers.ts'

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
