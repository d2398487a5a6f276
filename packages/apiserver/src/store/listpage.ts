import type { ResourceTable } from './resourcetable.ts'
import type { StoredObject } from './storedobject.ts'

export interface ListQuery {
  /** Empty for all namespaces and for cluster-scoped kinds. */
  readonly namespace: string
  readonly matches: (s: StoredObject) => boolean
  /** First key, inclusive. */
  readonly start: string
  /** 0 for all. */
  readonly limit: number
  /** Content as of this version; undefined for now. */
  readonly version: number | undefined
  /** Whether to count what is left behind the page. */
  readonly counting: boolean
}

export interface ListPage {
  readonly items: readonly StoredObject[]
  /** Where the next page starts; undefined behind the last one. */
  readonly next: string | undefined
  readonly remaining: number | undefined
}

export type ListOutcome = ListPage | 'expired'

/** A page of a table, now or as of an earlier version within the history. */
export function listPage(table: ResourceTable, query: ListQuery): ListOutcome {
  const prefix = query.namespace === '' ? '' : `${query.namespace}/`
  const start = query.start === '' ? prefix : query.start
  const undone = query.version === undefined ? new Map() : changesSince(table, query.version)
  if (undone === undefined) return 'expired'
  const items: StoredObject[] = []
  const rows = walk(table, start, prefix, undone)
  for (let row = rows.next(); !row.done; row = rows.next()) {
    if (!query.matches(row.value)) continue
    if (query.limit > 0 && items.length === query.limit) {
      const next = `${items[items.length - 1]!.key}\0`
      return { items, next, remaining: query.counting ? countFrom(table, next, prefix, undone) : undefined }
    }
    items.push(row.value)
  }
  return { items, next: undefined, remaining: undefined }
}

type UndoneEvents = ReadonlyMap<string, StoredObject | undefined>

/** What each key held at `version`, for keys written since. */
function changesSince(table: ResourceTable, version: number): UndoneEvents | undefined {
  const events = table.history.since(version)
  if (!events) return undefined
  const undone = new Map<string, StoredObject | undefined>()
  for (const e of events) if (!undone.has(e.key)) undone.set(e.key, e.prev)
  return undone
}

function* walk(
  table: ResourceTable,
  start: string,
  prefix: string,
  undone: UndoneEvents,
): Generator<StoredObject> {
  const back = goneSince(table, start, prefix, undone)
  let i = 0
  for (const key of table.live.keys(start, prefix)) {
    for (; i < back.length && back[i]! < key; i++) yield undone.get(back[i]!)!
    const value = undone.has(key) ? undone.get(key) : table.live.get(key)
    if (value) yield value
  }
  for (; i < back.length; i++) yield undone.get(back[i]!)!
}

function goneSince(table: ResourceTable, start: string, prefix: string, undone: UndoneEvents): string[] {
  const keys: string[] = []
  for (const [key, value] of undone)
    if (value && key >= start && key.startsWith(prefix) && !table.live.get(key)) keys.push(key)
  return keys.sort()
}

function countFrom(table: ResourceTable, start: string, prefix: string, undone: UndoneEvents): number {
  let n = table.live.count(start, prefix)
  for (const [key, value] of undone) {
    if (key < start || !key.startsWith(prefix)) continue
    const isLive = table.live.get(key) !== undefined
    if (isLive && !value) n--
    if (!isLive && value) n++
  }
  return n
}
