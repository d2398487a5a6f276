import type { ResourceTable } from '../store/resourcetable.ts'
import type { ServedKind } from './servedkind.ts'

/** The kinds of one cluster: the built-in ones and those of its CustomResourceDefinitions. */
export class KindRegistry {
  private readonly byPath = new Map<string, ServedKind>()
  private indexes: KindIndexes | undefined
  /** Counts changes: answers about discovery are made anew when it moves. */
  revision = 0

  set(kind: ServedKind): void {
    this.byPath.set(pathOf(kind.info.group, kind.info.version, kind.info.plural), kind)
    this.changed()
  }

  remove(group: string, version: string, plural: string): void {
    if (this.byPath.delete(pathOf(group, version, plural))) this.changed()
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.byPath.get(pathOf(group, version, plural))
  }

  /** By kind, as ownerReferences name it; any version. */
  byKind(group: string, kind: string): ServedKind | undefined {
    return this.index.kinds.get(`${group}/${kind}`)
  }

  /** By what an object says it is. */
  byType(apiVersion: string, kind: string): ServedKind | undefined {
    return this.index.types.get(`${apiVersion}/${kind}`)
  }

  /** By resource, any version; for callers in this process. */
  byResource(group: string, plural: string): ServedKind | undefined {
    return this.index.resources.get(`${group}/${plural}`)
  }

  /** The kind that keeps its objects in this table, in the version they are kept in if that is served. */
  ofTable(table: ResourceTable): ServedKind | undefined {
    return this.index.tables.get(table)
  }

  all(): ServedKind[] {
    return [...this.byPath.values()]
  }

  private changed(): void {
    this.revision++
    this.indexes = undefined
  }

  private get index(): KindIndexes {
    this.indexes ??= makeIndexes(this.byPath.values())
    return this.indexes
  }
}

interface KindIndexes {
  readonly kinds: ReadonlyMap<string, ServedKind>
  readonly types: ReadonlyMap<string, ServedKind>
  readonly resources: ReadonlyMap<string, ServedKind>
  readonly tables: ReadonlyMap<ResourceTable, ServedKind>
}

function makeIndexes(all: Iterable<ServedKind>): KindIndexes {
  const kinds = new Map<string, ServedKind>()
  const types = new Map<string, ServedKind>()
  const resources = new Map<string, ServedKind>()
  const tables = new Map<ResourceTable, ServedKind>()
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
