import type { Table } from '../store/resourcetable.ts'
import type { Kind } from './servedkind.ts'

/** The kinds of one cluster: the built-in ones and those of its CustomResourceDefinitions. */
export class Kinds {
  private readonly byPath = new Map<string, Kind>()
  private indexes: Indexes | undefined
  /** Counts changes: answers about discovery are made anew when it moves. */
  revision = 0

  set(kind: Kind): void {
    this.byPath.set(pathOf(kind.info.group, kind.info.version, kind.info.plural), kind)
    this.changed()
  }

  remove(group: string, version: string, plural: string): void {
    if (this.byPath.delete(pathOf(group, version, plural))) this.changed()
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.byPath.get(pathOf(group, version, plural))
  }

  /** By kind, as ownerReferences name it; any version. */
  byKind(group: string, kind: string): Kind | undefined {
    return this.index.kinds.get(`${group}/${kind}`)
  }

  /** By what an object says it is. */
  byType(apiVersion: string, kind: string): Kind | undefined {
    return this.index.types.get(`${apiVersion}/${kind}`)
  }

  /** By resource, any version; for callers in this process. */
  byResource(group: string, plural: string): Kind | undefined {
    return this.index.resources.get(`${group}/${plural}`)
  }

  /** The kind that keeps its objects in this table, in the version they are kept in if that is served. */
  ofTable(table: Table): Kind | undefined {
    return this.index.tables.get(table)
  }

  all(): Kind[] {
    return [...this.byPath.values()]
  }

  private changed(): void {
    this.revision++
    this.indexes = undefined
  }

  private get index(): Indexes {
    this.indexes ??= makeIndexes(this.byPath.values())
    return this.indexes
  }
}

interface Indexes {
  readonly kinds: ReadonlyMap<string, Kind>
  readonly types: ReadonlyMap<string, Kind>
  readonly resources: ReadonlyMap<string, Kind>
  readonly tables: ReadonlyMap<Table, Kind>
}

function makeIndexes(all: Iterable<Kind>): Indexes {
  const kinds = new Map<string, Kind>()
  const types = new Map<string, Kind>()
  const resources = new Map<string, Kind>()
  const tables = new Map<Table, Kind>()
  for (const k of all) {
    const { group, version, kind, plural } = k.info
    const isStored = version === k.storageVersion
    types.set(`${group === '' ? '' : `${group}/`}${version}/${kind}`, k)
    if (isStored || !kinds.has(`${group}/${kind}`)) kinds.set(`${group}/${kind}`, k)
    if (isStored || !resources.has(`${group}/${plural}`)) resources.set(`${group}/${plural}`, k)
    if (isStored || !tables.has(k.table)) tables.set(k.table, k)
  }
  return { kinds, types, resources, tables }
}

const pathOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`
