import type { Kind } from './kind.ts'

/** The kinds of one cluster: the built-in ones and those of its CustomResourceDefinitions. */
export class Kinds {
  private readonly byPath = new Map<string, Kind>()
  /** Counts changes: answers about discovery are made anew when it moves. */
  revision = 0

  set(kind: Kind): void {
    this.byPath.set(pathOf(kind.info.group, kind.info.version, kind.info.plural), kind)
    this.revision++
  }

  remove(group: string, version: string, plural: string): void {
    if (this.byPath.delete(pathOf(group, version, plural))) this.revision++
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.byPath.get(pathOf(group, version, plural))
  }

  /** By kind, as ownerReferences name it; any version. */
  byKind(group: string, kind: string): Kind | undefined {
    for (const k of this.byPath.values()) if (k.info.group === group && k.info.kind === kind) return k
    return undefined
  }

  /** By resource, any version; for callers in this process. */
  byResource(group: string, plural: string): Kind | undefined {
    for (const k of this.byPath.values()) if (k.info.group === group && k.info.plural === plural) return k
    return undefined
  }

  all(): Kind[] {
    return [...this.byPath.values()]
  }
}

const pathOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`
