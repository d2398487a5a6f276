/** How references read in messages. */
import type { ClusterList } from './reason.ts'
import { SELF, type WaitRef } from './waitref.ts'

interface About {
  readonly on: readonly WaitRef[]
  readonly clusters: ClusterList | undefined
}

const NAMED = 3

/** `a`, `a and b`, `a, b and 3 more`. */
export function listText(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, NAMED)
  const more = count - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** `1 cluster`, `3 clusters`. */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `2 clusters (cluster-1, cluster-2)`; one cluster: its name. */
export function clustersText({ count, names }: ClusterList): string {
  if (count === 1 && names[0] !== undefined) return names[0]
  const shown = names.slice(0, NAMED).join(', ')
  return `${countText(count, 'cluster')} (${shown}${count > Math.min(NAMED, names.length) ? ', …' : ''})`
}

/** The name without the cluster: `certs`, `ConfigMap default/database`, `Hold audit`. */
export function nameOf(ref: WaitRef): string {
  const name = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`
  switch (ref.kind) {
    case 'Unit':
      return ref.object === undefined ? ref.name : `${ref.object.kind} ${ref.name}`
    case 'Module':
      return `${ref.object?.kind ?? 'Module'} ${name}`
    case 'Object':
      return `${ref.object?.kind ?? 'object'} ${name}`
    case 'Cluster':
      return `cluster ${ref.name}`
    case 'Budget':
      return `DisruptionBudget ${ref.name}`
    case 'Hold':
    case 'Approval':
      return `${ref.kind} ${ref.name}`
    case 'Source':
    case 'Time':
    case 'Person':
    case 'External':
      return ref.name
  }
}

/** `cluster-1`, `2 clusters (cluster-1, cluster-2)`: of the first reference. */
export function clusterText(f: About): string {
  const cluster = f.on[0]?.cluster
  if (cluster !== undefined && cluster !== SELF) return cluster
  return f.clusters === undefined ? 'its cluster' : clustersText(f.clusters)
}

/** ` on cluster-1`, ` on 2 clusters (cluster-1, cluster-2)`; empty where the reference is on no cluster. */
export function placeOf(ref: WaitRef, clusters: ClusterList | undefined): string {
  if (ref.cluster === undefined) return ''
  if (ref.cluster !== SELF) return ` on ${ref.cluster}`
  return clusters === undefined ? '' : ` on ${clustersText(clusters)}`
}

/** The references of a wait, with their clusters: `certs on cluster-2`. */
export const named = (f: About): string =>
  listText(f.on.map((ref) => `${nameOf(ref)}${placeOf(ref, f.clusters)}`))

/** Cluster of the first reference: ` on cluster-2`. */
export const place = (f: About): string => (f.on[0] ? placeOf(f.on[0], f.clusters) : '')

/** Name of the first reference. */
export const firstName = (f: About): string => (f.on[0] ? nameOf(f.on[0]) : '')

/** The first reference: `Deployment web/api`; in a summary with its clusters: `Deployment web/api on 2 clusters (…)`. */
export const itemText = (f: About): string =>
  `${firstName(f)}${f.clusters === undefined ? '' : ` on ${clustersText(f.clusters)}`}`

/** The first reference as arguments of kubectl: `deployment.apps api -n web`. */
export function kubectlArguments({ on }: Pick<About, 'on'>): string {
  const [ref] = on
  const { apiVersion = '', kind = '' } = ref?.object ?? {}
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : ''
  const namespace = ref?.namespace === undefined ? '' : ` -n ${ref.namespace}`
  return `${kind.toLowerCase()}${group} ${ref?.name ?? ''}${namespace}`
}

/** `@2026.10`, or nothing. */
export const atRelease = (release: string | undefined): string => (release === undefined ? '' : `@${release}`)

/** The argument of `lockstep why` for the first unit: `certs@cluster-2`. */
export function unitArgument(f: About): string {
  const ref = f.on.find((r) => r.kind === 'Unit') ?? f.on[0]
  if (ref === undefined) return 'MODULE@CLUSTER'
  const cluster = ref.cluster === SELF ? f.clusters?.names[0] : ref.cluster
  return `${ref.name}@${cluster ?? 'CLUSTER'}`
}
