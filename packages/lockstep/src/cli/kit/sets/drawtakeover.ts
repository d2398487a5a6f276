/** Takeovers and hand-backs as lines. */

import { fit, plural, type Terminal, textTable } from '../terminal/index.ts'
import { sourcePlanCounts, type TakeoverClusterPlan } from './takeoverplan.ts'
import type { GivenSet, TakenSet } from './takeoverreport.ts'

/** So many clusters that get nothing are named; more are counted. */
const NAMED = 5

/** What is refused or still lacking is said as an error. `isWide`: every cluster and every source. */
export function drawTakeover(t: Terminal, set: TakenSet, isWide: boolean): string[] {
  const name = t.paint('bold', set.name)
  const warnings = set.warnings.map((w) => fit(t.look, `  ${t.paint('yellow', '!')} ${w}`))
  if (set.state !== 'Planned') {
    const already = set.state === 'Managed' ? ' already' : ''
    return [`${t.paint('green', '✔')} ${name}: managed by Lockstep${already}`, ...warnings]
  }
  const rows = rowsOf(set.clusters, isWide)
  return [
    `${name}: ${set.mode} on ${plural(set.clusters.length, 'cluster')}${countsText(set)}`,
    ...(rows.length === 0
      ? []
      : textTable([['CLUSTER', 'SOURCE', 'WHAT'], ...rows], {
          indent: 2,
          ...(isWide ? {} : { width: t.look.width }),
        })),
    ...set.clusters.flatMap((x) =>
      x.notes.map((n) => fit(t.look, `  ${t.paint('yellow', '!')} ${x.cluster}: ${n}`)),
    ),
    ...warnings,
  ]
}

const countsText = ({ clusters }: TakenSet): string => {
  const counts = sourcePlanCounts(clusters).map(([plan, n]) => `${plan} ${n}`)
  return counts.length === 0 ? '' : `: ${counts.join(', ')}`
}

function rowsOf(clusters: readonly TakeoverClusterPlan[], isWide: boolean): string[][] {
  const each = (x: TakeoverClusterPlan): string[][] =>
    x.sources.map((s) => [x.cluster, `${s.kind} ${s.name}`, s.plan])
  if (isWide) return clusters.flatMap(each)
  const idle = clusters.filter((x) => x.sources.length > 0 && x.sources.every((s) => s.plan === 'nothing'))
  const busy = clusters.filter((x) => !idle.includes(x))
  const quiet = (cluster: string, n: number): string[] => [
    cluster,
    n === 1 ? 'its source' : `all ${n} sources`,
    'nothing',
  ]
  const idleRows =
    idle.length > NAMED
      ? [quiet(`${idle.length} ${busy.length > 0 ? 'others' : 'clusters'}`, idle[0]!.sources.length)]
      : idle.map((x) => quiet(x.cluster, x.sources.length))
  return [...busy.flatMap(each), ...idleRows]
}

function strippedText({ stripped = [] }: GivenSet): string {
  const objects = stripped.reduce((sum, s) => sum + s.objects, 0)
  const on = stripped.filter((s) => s.objects > 0).length
  if (stripped.length === 0) return ''
  if (objects === 0) return '; no object has labels of Lockstep'
  return `; labels of Lockstep removed from ${plural(objects, 'object')} on ${plural(on, 'cluster')}`
}

export function drawHandback(t: Terminal, set: GivenSet): string[] {
  const name = t.paint('bold', set.name)
  const left = set.left.map((x) => fit(t.look, `  ${t.paint('dim', '·')} ${x}`))
  const off = strippedText(set)
  switch (set.state) {
    case 'NotManaged':
      return [fit(t.look, `${t.paint('green', '✔')} ${name}: ${set.message}${off}`)]
    // Errors say it.
    case 'Refused':
    case 'Asked':
      return []
    case 'HandedBack':
      return [
        fit(
          t.look,
          `${t.paint('green', '✔')} ${name}: managed by Cluster API again${off}${left.length > 0 ? '; these stay:' : ''}`,
        ),
        ...left,
      ]
    case 'Planned':
      return [
        `${name}: would be managed by Cluster API again${left.length > 0 ? '; these stay:' : ''}`,
        ...left,
      ]
  }
}
