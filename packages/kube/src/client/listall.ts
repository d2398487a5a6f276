/** Reads lists page by page, within limits. */
import { err, ok } from '../env/result.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import type { KubeResult, ListerWatcher, ListOptions } from './client.ts'

const PAGE = 500
/** Part of a page that is requested after a page over the limit. */
const SMALLER = 50
/** Limits of one list. */
const MAX_PAGES = 4096
const MAX_SIZE_MIB = 512
const MIB = 1024 * 1024

export type WholeListOptions = Omit<ListOptions, 'limit' | 'continue' | 'each'>

/** All objects of a list, or an error: a part of a list is never an answer. */
export async function listAll<T extends KubeObject, Of = unknown>(
  client: Pick<ListerWatcher<Of>, 'list' | 'cluster'>,
  kind: Kind<T> & Of,
  o: WholeListOptions,
): Promise<KubeResult<Stored<T>[]>> {
  const listed = await listProjected(client, kind, o, (item: Stored<T>) => item)
  return listed.ok ? ok(listed.value.items) : listed
}

/**
 * As `listAll`, and keeps only the projections of the objects: the rest of an object is garbage before the next one is read.
 * `Malformed`: the list has no end or repeats itself. A page over the limit is requested again in smaller parts.
 */
export async function listProjected<T extends KubeObject, P, Of = unknown>(
  client: Pick<ListerWatcher<Of>, 'list' | 'cluster'>,
  kind: Kind<T> & Of,
  o: WholeListOptions,
  project: (item: Stored<T>) => P,
): Promise<KubeResult<{ readonly items: P[]; readonly resourceVersion: string }>> {
  const refused = (problem: string): KubeResult<never> => {
    const { namespace } = o
    const ref = { group: kind.group, kind: kind.kind, name: '', ...(namespace ? { namespace } : {}) }
    const about = { cluster: client.cluster, verb: 'list', ref, wrote: 'no' } as const
    return err({ ...about, kind: 'Malformed', problem, isTooLong: false })
  }
  const tokens = new Set<string>()
  const items: P[] = []
  let limit = PAGE
  let size = 0
  for (let next: string | undefined; ; ) {
    const before = items.length
    const page = await client.list(kind, {
      ...o,
      limit,
      ...(next === undefined ? {} : { continue: next }),
      each: (item) => {
        items.push(project(item))
      },
    })
    if (!page.ok && page.error.kind === 'Malformed' && page.error.isTooLong && limit > 1) {
      limit = Math.max(1, Math.floor(limit / SMALLER))
      items.length = before
      continue
    }
    if (!page.ok) return page
    for (const item of page.value.items) items.push(project(item))
    size += page.value.size
    next = page.value.continue
    if (next === undefined) return ok({ items, resourceVersion: page.value.resourceVersion })
    if (tokens.has(next)) return refused('repeats its continue token')
    tokens.add(next)
    if (size > MAX_SIZE_MIB * MIB) return refused(`over ${MAX_SIZE_MIB} MiB`)
    if (tokens.size >= MAX_PAGES) return refused(`over ${MAX_PAGES} pages`)
  }
}
