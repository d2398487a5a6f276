/** Many clusters: a release, a restart, a rest and drift. Virtual time; wall time and CPU are printed, never judged. */
import { ScaledFleet, type ScaledSize } from '../test/requests/scaledfleet.ts'
import type { BenchReport } from './benchreport.ts'

const REST_S = 1800

export async function scale(report: BenchReport, size: ScaledSize): Promise<void> {
  const fleet = await ScaledFleet.begin(size)
  const units = size.clusters * size.modules
  const what = `${size.clusters} clusters × ${size.modules} modules × ${size.objects} objects`
  await fleet.release('1')
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  const release = await fleet.release('2')
  const { user, system } = process.cpuUsage(cpu)
  report.figure(`${what}, a release: wall seconds`, (performance.now() - from) / 1000)
  report.figure(`${what}, a release: CPU ms a unit, with the servers`, (user + system) / 1000 / units)
  report.figure(`${what}, a release: requests a unit`, release.requests / units, 6 + 1.1 + 2 + 1)
  await fleet.rest(60)
  report.figure(`${what}, ${REST_S} s at rest: requests`, (await fleet.rest(REST_S)).requests, 0)
  const drift = await fleet.drift(0.1)
  const drifted = `${what}, drift on a tenth of the units`
  report.figure(`${drifted}: requests each`, drift.requests / drift.changes, 1.1)
  report.figure(`${drifted}: virtual ms`, drift.ms, 2000)
  await fleet.rest(600)
  const restart = await fleet.restart()
  report.figure(`${what}, a restart: virtual ms until all is read`, restart.ms)
  report.figure(`${what}, a restart: writes`, restart.writes + (await fleet.rest(600)).writes, 0)
  report.figure(`${what}: MiB of this process, with the servers`, process.memoryUsage().rss / 1024 / 1024)
}
