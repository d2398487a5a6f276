/** Many clusters with a Continuous set at rest for an hour, and after a change of the leader: requests to them. */

import { REQUEST_RATE } from '../packages/kube/src/client/requestlimiter.ts'
import { SET } from '../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { Failover } from '../test/fleet/failover.ts'
import { busiest, busiestCluster, type ClusterRequest, FleetTraffic } from '../test/fleet/fleettraffic.ts'
import { continuous, isInSync } from '../test/fleet/setsinsync.ts'
import { manifest, SetStory, sources, yaml } from '../test/fleet/setstory.ts'
import type { BenchReport } from './benchreport.ts'

const HOUR_S = 3600
const INTERVAL_S = 600
/** A fleet that is large, and what may be asked of all of it at rest: one LIST a cluster, kind and interval. */
const MANY = 5000
const MOST_A_SECOND = 110
const LEASES = 'leases.coordination.k8s.io'

const of = (apiVersion: string, kind: string, more: object = {}) => ({
  ...manifest(kind, 'x', more),
  apiVersion,
})
const RBAC = 'rbac.authorization.k8s.io/v1'
const role = (kind: string) => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: 'x' } })

/** One of each of twelve kinds. */
const OBJECTS = [
  of('v1', 'ConfigMap', { data: { v: '1' } }),
  of('v1', 'Secret', { type: 'Opaque' }),
  of('v1', 'ServiceAccount'),
  of('v1', 'Service', { spec: { ports: [{ port: 80 }] } }),
  of('v1', 'LimitRange', { spec: { limits: [] } }),
  of('v1', 'ResourceQuota', { spec: { hard: { pods: '10' } } }),
  of(RBAC, 'Role', { rules: [] }),
  of(RBAC, 'RoleBinding', role('Role')),
  of('policy/v1', 'PodDisruptionBudget', { spec: { maxUnavailable: 1, selector: {} } }),
  of('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  of('coordination.k8s.io/v1', 'Lease', { spec: {} }),
  of('scheduling.k8s.io/v1', 'PriorityClass', { value: 1, metadata: { name: 'x' } }),
]

/** As if there were 5,000 clusters: requests a second, and the busiest second against the mean. */
function tellRest(
  report: BenchReport,
  what: string,
  asked: readonly ClusterRequest[],
  clusters: number,
  seconds: number,
): void {
  const second = (1000 * MANY) / clusters
  const mean = (asked.length / seconds) * (MANY / clusters)
  report.figure(`${what}: requests a cluster`, asked.length / clusters)
  report.figure(`${what}: requests a second, of ${MANY} clusters`, mean, MOST_A_SECOND)
  report.figure(`${what}: busiest second ÷ mean, of ${MANY} clusters`, busiest(asked, second) / mean, 2)
}

export async function atRest(report: BenchReport, clusters: number): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const story = await SetStory.open('bench/rest', names)
  const processes = await Failover.begin(story)
  await story.source('a', { 'a.yaml': yaml(...OBJECTS) })
  await story.set('crs1', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
  const what = `${clusters} clusters × ${OBJECTS.length} kinds`
  if (!(await story.until(() => isInSync(story), HOUR_S))) throw new Error(`${what}: ${story.said('crs1')}`)
  await story.pass(60)
  const { clock } = story.fleet.env
  const traffic = new FleetTraffic(story.fleet)
  const since = (from: number) => traffic.asked.filter(({ at }) => at >= from)
  const [commits, began] = [story.fleet.commits.length, clock.steady()]
  await story.pass(HOUR_S)
  tellRest(report, `${what}, an hour at rest`, since(began), clusters, HOUR_S)

  await processes.fail()
  const from = clock.steady()
  await story.pass(INTERVAL_S)
  const after = `${what}, after a failover`
  const turns = traffic.inTurn(from)
  const begun = turns.filter((t) => t.what === 'read')
  report.figure(`${after}: reads and watches in the busiest second`, busiest(turns, 1000), REQUEST_RATE.all)
  report.figure(`${after}: of one cluster`, busiestCluster(turns, 1000), REQUEST_RATE.each)
  report.figure(
    `${after}: all requests in the busiest second`,
    busiest(since(from), 1000),
    2 * REQUEST_RATE.all,
  )
  report.figure(`${after}: seconds until all is read`, (begun.at(-1)!.at - from) / 1000)
  const turnsEach = (begun.length + clusters) / clusters
  report.figure(`${after}: seconds of ${MANY} clusters`, (turnsEach * MANY) / REQUEST_RATE.all, INTERVAL_S)
  const calm = clock.steady()
  await story.pass(HOUR_S - INTERVAL_S)
  tellRest(report, `${after}, from ten minutes on`, since(calm), clusters, HOUR_S - INTERVAL_S)
  const written = story.fleet.commits.slice(commits).filter((c) => c.resource !== LEASES)
  report.figure(`${what}: writes in all this time, but of the Lease`, written.length, 0)
}
