import type { JsonObject, KubeObject } from '@lockstep/kube/object'
import { controllerUser } from '../auth/user.ts'
import type { DefinitionCondition } from '../crd/definitioncondition.ts'
import { conditionsOf, statusWith, withCondition } from '../crd/definitioncondition.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import { subjectText } from '../status/apifailure.ts'
import type { ResourceTable } from '../store/resourcetable.ts'
import type { StoreEvent } from '../store/storehistory.ts'
import { deleteObject, PLAIN_DELETE } from '../write/deleteobject.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import { finalizersOf, sameStatus } from './namespacerules.ts'

const OPTIONS: ServerWriteOptions = {
  manager: 'namespace-controller',
  user: controllerUser('namespace-controller'),
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
}

/** What a policy refuses is tried again. */
const RETRY_MS = 5000

/** Empties namespaces that are to go, says what is left in them, and ends them (kubernetes pkg/controller/namespace). */
export class NamespaceController {
  private readonly cluster: EmbeddedCluster
  private readonly namespaces: ServedKind
  private readonly due = new Set<string>()
  private readonly ending = new Set<string>()
  private scheduled = false

  constructor(cluster: EmbeddedCluster, namespaces: ServedKind) {
    this.cluster = cluster
    this.namespaces = namespaces
    cluster.store.observe((table, e) => this.note(table, e))
  }

  private note(table: ResourceTable, e: StoreEvent): void {
    if (table === this.namespaces.table) {
      if (!e.next) this.ending.delete(e.key)
      else if (e.next.object.metadata.deletionTimestamp !== undefined) {
        this.ending.add(e.key)
        this.add(e.key)
      }
      return
    }
    const slash = e.key.indexOf('/')
    const namespace = slash < 0 ? '' : e.key.slice(0, slash)
    if (!this.ending.has(namespace)) return
    // Something that was held is gone or has let go, or was made just before the end.
    this.add(namespace)
  }

  private add(namespace: string): void {
    this.due.add(namespace)
    if (this.scheduled) return
    this.scheduled = true
    const { clock } = this.cluster.env
    clock.at(clock.steady(), () => {
      this.scheduled = false
      const names = [...this.due]
      this.due.clear()
      for (const name of names) this.empty(name)
    })
  }

  private empty(name: string): void {
    const stored = this.namespaces.table.live.get(name)
    if (!stored?.object.metadata.deletionTimestamp) return
    const refused = this.deleteContents(name)
    if (refused.length > 0) {
      const { clock } = this.cluster.env
      clock.at(clock.steady() + RETRY_MS, () => this.add(name))
    }
    const live = this.namespaces.table.live.get(name)
    if (!live) return
    const left = this.remaining(name)
    if (left.objects.size > 0) {
      this.tell(live.object, { ...left, refused })
      return
    }
    const next = {
      ...live.object,
      spec: { finalizers: finalizersOf(live.object).filter((f) => f !== 'kubernetes') },
    }
    if (finalizersOf(live.object).includes('kubernetes'))
      updateObject(
        this.cluster,
        this.namespaces,
        live,
        { next, verb: 'update' },
        { ...OPTIONS, subresource: 'finalize' },
      )
  }

  /** Why what is still there could not be deleted. */
  private deleteContents(name: string): string[] {
    const refused: string[] = []
    for (const kind of this.contents()) {
      for (const key of [...kind.table.live.keys(`${name}/`, `${name}/`)]) {
        const s = kind.table.live.get(key)
        if (!s || s.object.metadata.deletionTimestamp !== undefined) continue
        const wanted = { ...PLAIN_DELETE, propagation: 'Background' } as const
        const done = deleteObject(this.cluster, kind, s, wanted, OPTIONS)
        if (!done.ok) refused.push(done.error.message)
      }
    }
    return refused
  }

  /** One kind a table: the same objects are not deleted once for each version. */
  private contents(): ServedKind[] {
    const byTable = new Map<ResourceTable, ServedKind>()
    for (const k of this.cluster.kinds.all()) if (k.info.namespaced) byTable.set(k.table, k)
    return [...byTable.values()]
  }

  private remaining(name: string): Pick<Remaining, 'objects' | 'finalizers'> {
    const objects = new Map<string, number>()
    const finalizers = new Map<string, number>()
    for (const kind of this.contents()) {
      for (const key of kind.table.live.keys(`${name}/`, `${name}/`)) {
        const id = subjectText({ group: kind.info.group, name: kind.info.plural })
        objects.set(id, (objects.get(id) ?? 0) + 1)
        for (const f of kind.table.live.get(key)!.object.metadata.finalizers ?? [])
          finalizers.set(f, (finalizers.get(f) ?? 0) + 1)
      }
    }
    return { objects, finalizers }
  }

  private tell(namespace: KubeObject, left: Remaining): void {
    const stored = this.namespaces.table.live.get(namespace.metadata.name ?? '')
    if (!stored) return
    const now = timestamp(this.cluster)
    let conditions = conditionsOf(namespace)
    for (const c of conditionsFor(left)) conditions = withCondition(conditions, c, now)
    const next = statusWith(namespace, { conditions: conditions as JsonObject[] })
    if (!sameStatus(next, namespace))
      updateObject(
        this.cluster,
        this.namespaces,
        stored,
        { next, verb: 'update' },
        { ...OPTIONS, subresource: 'status' },
      )
  }
}

interface Remaining {
  readonly objects: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
  /** Why some could not be deleted. */
  readonly refused: readonly string[]
}

function conditionsFor(left: Remaining): readonly DefinitionCondition[] {
  const objects = [...left.objects].sort().map(([id, n]) => `${id} has ${n} resource instances`)
  const finalizers = [...left.finalizers].sort().map(([f, n]) => `${f} in ${n} resource instances`)
  return [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    contentCondition(left.refused),
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${objects.join(', ')}`,
    },
    finalizers.length > 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizerRemain',
          message: `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`,
        }
      : fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ]
}

const fine = (type: string, reason: string, message: string) =>
  ({ type, status: 'False', reason, message }) as const

const contentCondition = (refused: readonly string[]): DefinitionCondition =>
  refused.length === 0
    ? fine(
        'NamespaceDeletionContentFailure',
        'ContentDeleted',
        'All content successfully deleted, may be waiting on finalization',
      )
    : {
        type: 'NamespaceDeletionContentFailure',
        status: 'True',
        reason: 'ContentDeletionFailed',
        message: `Failed to delete all resource types, ${refused.length} remaining: ${refused.join(', ')}`,
      }
