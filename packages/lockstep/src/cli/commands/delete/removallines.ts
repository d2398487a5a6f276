/** Text of a planned deletion of a Module. Pure. */
import type { PreviewedObject, RemovalFate } from '../../../controllers/plan/index.ts'
import { objectText } from '../../../decisions/graph/index.ts'
import { plural } from '../../kit/terminal/index.ts'

/** Planned removal from one cluster. */
export type ClusterRemoval =
  | { readonly cluster: string; readonly objects: readonly PreviewedObject[] }
  | { readonly cluster: string; readonly problem: string }

const MOST_NAMES = 5

/** A line for each fate, in the order in which people ask: deleted objects before objects that stay. */
export function removalLines(name: string, clusters: readonly ClusterRemoval[]): string[] {
  const all = clusters.flatMap((c) =>
    'objects' in c ? c.objects.map((o) => ({ ...o, cluster: c.cluster })) : [],
  )
  const titles = [...new Set(all.map(({ fate }) => titleOf(fate)))].sort(
    (a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1),
  )
  const lines = titles.map((title) => {
    const of = all.filter(({ fate }) => titleOf(fate) === title)
    const places = plural(new Set(of.map((o) => o.cluster)).size, 'cluster')
    const existed = of.filter(({ fate }) => fate.type === 'Delete' && fate.existed).length
    const before = existed === 0 ? '' : ` (${existed} existed before)`
    return `${title}: ${plural(of.length, 'object')} on ${places}${before}: ${namesOf(of)}`
  })
  const isAsked = all.some(({ fate }) => fate.type === 'Existed' || fate.type === 'Confirm')
  return [
    ...lines,
    ...(isAsked ? [`to confirm: lockstep rollout approve ${name} --stage prune`] : []),
    ...clusters.flatMap((c) => ('problem' in c ? [`not read: ${c.cluster}: ${c.problem}`] : [])),
    ...(clusters.length === 0 ? ['it has no objects on any cluster'] : []),
  ]
}

const TITLES = {
  HandOver: 'handed over to',
  Delete: 'deleted',
  Existed: 'existed before, kept until confirmed',
  Confirm: 'needs confirmation',
  Orphan: 'kept, unmanaged',
  Wait: 'waits',
} as const

const titleOf = (fate: RemovalFate): string =>
  fate.type === 'HandOver' ? `${TITLES.HandOver} ${fate.to.kind} ${fate.to.name}` : TITLES[fate.type]

const rankOf = (title: string): number => Object.values(TITLES).findIndex((t) => title.startsWith(t))

function namesOf(of: readonly PreviewedObject[]): string {
  const names = [...new Set(of.map(({ entry, fate }) => `${objectText(entry)}${noteOf(fate)}`))].sort()
  const more = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function noteOf(fate: RemovalFate): string {
  if (fate.type === 'Wait') return ` (${fate.message})`
  if (fate.type !== 'Confirm') return ''
  if (fate.content !== undefined) return ` (contains ${fate.content}, not delivered by Lockstep)`
  return fate.foreign === undefined ? '' : ` (also in ${fate.foreign})`
}
