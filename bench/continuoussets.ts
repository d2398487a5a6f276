/** ClusterResourceSets that are Continuous on many clusters: at rest, and when a source changes. */
import { configMapKind } from '../packages/kube/src/kinds/types.ts'
import { SET } from '../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from '../test/fleet/setstory.ts'
import type { BenchReport } from './benchreport.ts'

export interface SetSize {
  readonly clusters: number
  readonly sets: number
}

const IDLE_S = 600
/** For 1,000 clusters on one machine; wall time is printed, not judged. */
const MEANT_S = 30
const config = (name: string, v: string) => manifest('ConfigMap', name, { data: { v } })
const isInSync = (story: SetStory, set: string): boolean =>
  story.said(set, 'lockstep.dev/Converged').startsWith('True/InSync')

/** Requests to clusters. Renewals of watches, each after 30 to 60 minutes, are counted separately. */
const toClusters = (story: SetStory, isWatch: boolean): number =>
  story.fleet.env.meters
    .read()
    .filter(({ name, labels: { cluster, why } }) => {
      return name === 'lockstep_client_requests_total' && cluster !== 'hub' && (why === 'sync') === isWatch
    })
    .reduce((sum, { value }) => sum + value, 0)

/** One kind an object, the default interval of ten minutes. */
export async function continuousSets(report: BenchReport, { clusters, sets }: SetSize): Promise<void> {
  const names = Array.from({ length: clusters }, (_, i) => `c${i}`)
  const all = Array.from({ length: sets }, (_, i) => `crs${i}`)
  const story = await SetStory.open('bench/sets', names)
  const what = `${sets} Continuous sets × ${clusters} clusters`
  const first = performance.now()
  for (const s of all) {
    await story.source(`source-${s}`, { 'a.yaml': yaml(config(s, '1')) })
    const annotations = { [SET.maxUnavailable]: '100%' }
    await story.set(s, sources(`source-${s}`), { strategy: 'Continuous', annotations })
  }
  const isAll = () => all.every((s) => isInSync(story, s))
  if (!(await story.until(isAll, 3600))) throw new Error(`${what}: never in sync`)
  report.figure(`${what}, first delivery: wall seconds`, (performance.now() - first) / 1000)
  await story.pass(60)
  const commits = story.fleet.commits.length
  const [asked, watched] = [toClusters(story, false), toClusters(story, true)]
  await story.pass(IDLE_S)
  const isLease = (resource: string) => resource === 'leases.coordination.k8s.io'
  const writes = story.fleet.commits.slice(commits).filter((c) => !isLease(c.resource))
  report.figure(`${what}, ${IDLE_S} s at rest: writes`, writes.length, 0)
  const rest = `${what}, ${IDLE_S} s at rest`
  report.figure(`${rest}: requests a cluster`, (toClusters(story, false) - asked) / clusters, 1)
  report.figure(`${rest}: watches begun again a cluster`, (toClusters(story, true) - watched) / clusters)
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  const [changed] = all as [string]
  await story.source(`source-${changed}`, { 'a.yaml': yaml(config(changed, '2')) })
  const last = names.at(-1)!
  const hasIt = (c: string) =>
    (story.live(c, configMapKind.plural, changed) as { data?: { v?: string } } | undefined)?.data?.v === '2'
  if (!(await story.until(() => hasIt(last) && names.every(hasIt), 3600)))
    throw new Error(`${what}: not everywhere`)
  const { user, system } = process.cpuUsage(cpu)
  report.figure(
    `${what}, a changed source is everywhere: wall seconds (meant: ${MEANT_S})`,
    (performance.now() - from) / 1000,
  )
  report.figure(`${what}, a changed source is everywhere: CPU seconds`, (user + system) / 1e6)
}
