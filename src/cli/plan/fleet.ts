/** A plan of the fleet: what there is, what files would publish, and what the controllers would do with it. */
import type { Stored } from '../../api/kind.ts'
import { type ControllerRevision, controllerRevisionKind } from '../../api/kinds/foreign.ts'
import { MODULE_LABEL } from '../../api/labels.ts'
import {
  approvalKind,
  disruptionBudgetKind,
  holdKind,
  type Module,
  type OwnKind,
} from '../../api/registry.ts'
import { type FleetPlan, planFleet } from '../../controllers/plan/plan.ts'
import { type RevisionRecord, revisionRecordOf } from '../../controllers/revisions.ts'
import { moduleId } from '../../core/graph/module.ts'
import { moduleRefOf } from '../../deliver/names.ts'
import type { Result } from '../../env/result.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import { canonicalJson, type KubeObject, parseJson } from '../../object/object.ts'
import type { SourceFailure } from '../../source/failure.ts'
import type { Context } from '../command.ts'
import { changesBetween, type ObjectChange } from '../diff/between.ts'
import type { CliFailure } from '../failure.ts'
import { type Hub, listAll } from '../hub/hub.ts'
import type { Written } from '../render/files.ts'
import { bundlesOf } from '../units/units.ts'
import { readSnapshot } from '../view/snapshot.ts'
import { currentIn, type NextRevision, publishing, ringOn } from './publishing.ts'

/** What is known of a module besides what it would do. */
export interface Brought {
  /** As the files have it, or the hub. */
  readonly module: Stored<Module>
  readonly isWritten: boolean
  readonly before: RevisionRecord | undefined
  readonly next: NextRevision | undefined
  /** Why nothing of what is written can be published: what is published stays. */
  readonly problem?: SourceFailure
  /** Undefined: the published bundle cannot be read. */
  readonly changes: readonly ObjectChange[] | undefined
}

export interface PlannedFleet {
  readonly namespace: string
  readonly clusters: readonly ClusterView[]
  readonly plan: FleetPlan
  /** By `moduleId`. */
  readonly brought: ReadonlyMap<string, Brought>
  readonly history: readonly RevisionRecord[]
  readonly nowMs: number
  readonly calendar: Context['env']['calendar']
}

export async function planOfFleet(
  c: Context,
  hub: Hub,
  written: Written,
  maxRemoval: string,
): Promise<Result<PlannedFleet, CliFailure>> {
  const scope = { namespace: hub.namespace }
  const seen = await readSnapshot(c, hub)
  if (!seen.ok) return seen
  const revisions = await listAll<ControllerRevision>(c, hub, controllerRevisionKind, {
    ...scope,
    labelSelector: MODULE_LABEL,
  })
  if (!revisions.ok) return revisions
  const holds = await listAll(c, hub, holdKind, scope)
  if (!holds.ok) return holds
  const approvals = await listAll(c, hub, approvalKind, scope)
  if (!approvals.ok) return approvals
  const budgets = await listAll(c, hub, disruptionBudgetKind, scope)
  if (!budgets.ok) return budgets
  const modules = merged(seen.value.modules, written.modules)
  const history = revisions.value.map(revisionRecordOf)
  const brought = await bringAll(c, { hub, written, modules, history, nowMs: seen.value.nowMs })
  const next = [...brought.values()].flatMap((b) => (b.next ? [b.next.stored] : []))
  const fresh = next.filter((n) => !revisions.value.some((r) => r.metadata.name === n.metadata.name))
  const { nowMs, clusters, inventories, assemblages } = seen.value
  const plan = planFleet({
    ...{ namespace: hub.namespace, modules, inventories, assemblages, clusters, nowMs },
    holds: withWritten(holdKind, holds.value, written.others),
    approvals: withWritten(approvalKind, approvals.value, written.others),
    disruptionBudgets: withWritten(disruptionBudgetKind, budgets.value, written.others),
    revisions: [...revisions.value, ...fresh],
    publishes: new Map(
      next.map((n) => {
        const { module, revision } = revisionRecordOf(n)
        return [moduleId(module), revision]
      }),
    ),
    calendar: c.env.calendar,
    maxRemoval,
  })
  const { calendar } = c.env
  return {
    ok: true,
    value: {
      namespace: hub.namespace,
      clusters,
      plan,
      brought,
      history: [...history, ...fresh.map(revisionRecordOf)],
      nowMs,
      calendar,
    },
  }
}

const idOf = (m: Module): string => moduleId(moduleRefOf(m))

/** The hub as it would be with the files applied. */
function merged(known: readonly Stored<Module>[], written: readonly Module[]): Stored<Module>[] {
  const out = new Map(known.map((m) => [idOf(m), m]))
  for (const m of written) {
    const id = idOf(m)
    const old = out.get(id)
    const { name = '', labels, annotations } = m.metadata
    const own = { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
    const metadata = old
      ? { ...old.metadata, ...own, generation: (old.metadata.generation ?? 0) + 1 }
      : {
          ...own,
          ...(m.metadata.namespace === undefined ? {} : { namespace: m.metadata.namespace }),
          ...{ uid: `planned/${id}`, resourceVersion: '1', generation: 1, creationTimestamp: '' },
        }
    out.set(id, { ...m, ...(old?.status ? { status: old.status } : {}), metadata })
  }
  return [...out.values()]
}

/** The hub's objects of a kind as they would be with the files applied: what they say counts from then on. */
function withWritten<T extends KubeObject>(
  { kind }: OwnKind<T>,
  known: readonly Stored<T>[],
  written: readonly KubeObject[],
): Stored<T>[] {
  const out = new Map(known.map((o) => [o.metadata.name, o]))
  for (const o of written) {
    const { name = '' } = o.metadata
    if (o.kind !== kind) continue
    const fresh = { uid: `planned/${kind}/${name}`, resourceVersion: '1', creationTimestamp: '' }
    const there = out.get(name)
    const metadata = { ...fresh, ...there?.metadata, ...o.metadata }
    out.set(name, { ...there, ...o, metadata } as Stored<T>)
  }
  return [...out.values()]
}

interface Bringing {
  readonly hub: Hub
  readonly written: Written
  readonly modules: readonly Stored<Module>[]
  readonly history: readonly RevisionRecord[]
  readonly nowMs: number
}

/** One that cannot be made hurts no other. */
async function bringAll(c: Context, b: Bringing): Promise<Map<string, Brought>> {
  const out = new Map<string, Brought>()
  const ids = new Set(b.written.modules.map(idOf))
  const ring = ids.size > 0 ? await ringOn(c, b.hub) : undefined
  for (const module of b.modules) {
    const before = currentIn(b.history, module)
    const isWritten = ids.has(idOf(module))
    const known = { module, isWritten, before }
    if (!isWritten) {
      out.set(idOf(module), { ...known, next: undefined, changes: [] })
      continue
    }
    const next = await publishing(c, module, { ...b, beside: b.written.beside, ring })
    if (!next.ok) {
      out.set(idOf(module), { ...known, next: undefined, problem: next.error, changes: undefined })
      continue
    }
    const changes = await changesOfNext(b, before, next.value)
    out.set(idOf(module), { ...known, next: next.value, changes })
  }
  return out
}

async function changesOfNext(
  { hub }: Bringing,
  before: RevisionRecord | undefined,
  next: NextRevision | undefined,
): Promise<ObjectChange[] | undefined> {
  if (!next?.objects) return []
  const after = next.objects.map(asStored)
  if (!before) return changesBetween([], after)
  const bundle = await bundlesOf(hub).get(before.namespace, before.bundle)
  return bundle.ok ? changesBetween(bundle.value.objects, after) : undefined
}

/** With its fields in the order in which bundles keep them. */
const asStored = (o: KubeObject): KubeObject => parseJson(canonicalJson(o)) as unknown as KubeObject
