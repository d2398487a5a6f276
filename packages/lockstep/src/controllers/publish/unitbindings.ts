/** What the bindings of a module are on each cluster: resolved at each decision, kept by digest once something is started. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { type Digest, digestOf, type Stored } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Admitted, Assignment, Inventory, Module } from '../../api/kinds/index.ts'
import {
  type BindingFailure,
  bindingRefs,
  resolveBindings,
  type Values,
} from '../../decisions/binding/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import {
  areSecret,
  type Bundle,
  fault,
  type SourceFailure,
  valuesBundle,
  valuesOf,
} from '../../sources/intake/index.ts'
import { isRehashRequested, type RevisionRecord } from '../cache/index.ts'
import type { BindingSources } from './bindingsources.ts'
import type { PublishDeps } from './publishdeps.ts'

/** What a unit is to be bound to at a revision. */
export interface TargetBindings {
  /** Undefined: its manifests mention nothing. */
  readonly values: Bundle | undefined
  /** Why there is none. */
  readonly blockers: readonly NewBlocker[]
  /** Nobody knows yet: what is there stays. */
  readonly isPending: boolean
}

const NOTHING: TargetBindings = { values: undefined, blockers: [], isPending: false }

/** What is written down of a unit, whose digests stay as long as its values do. */
export interface PreviousBindings {
  readonly record: Assignment | undefined
  readonly inventory: Stored<Inventory> | undefined
}

/** Bindings of one module during one decision. */
export class UnitBindings {
  private readonly c: PublishDeps
  private readonly ref: ModuleRef
  private readonly module: Stored<Module>
  private readonly sources: BindingSources
  /** Of revisions: what all clusters share. */
  private readonly shared: ReadonlyMap<Digest, Result<Values, SourceFailure>>

  private constructor(
    context: PublishDeps,
    module: Stored<Module>,
    ref: ModuleRef,
    sources: BindingSources,
    shared: ReadonlyMap<Digest, Result<Values, SourceFailure>>,
  ) {
    this.c = context
    this.ref = ref
    this.module = module
    this.sources = sources
    this.shared = shared
  }

  /** Reads what was published; the rest is in caches. */
  static async open(
    c: PublishDeps,
    ref: ModuleRef,
    module: Stored<Module>,
    sources: BindingSources,
    wanted: RevisionRecord | undefined,
  ): Promise<UnitBindings> {
    // Whichever a unit is at, is pinned at or joins at.
    const all = [...c.hub.revisions.store.by('module', moduleId(ref)), ...(wanted ? [wanted] : [])]
    const digests = new Set(all.flatMap((r) => r.values ?? []))
    const read = [...digests].map(async (digest) => {
      const found = await c.content.bundles.get(ref.namespace, digest)
      return [digest, found.ok ? ok(valuesOf(found.value)) : found] as const
    })
    return new UnitBindings(c, module, ref, sources, new Map(await Promise.all(read)))
  }

  /** Of a unit that is, or may be, at a revision. */
  at(revision: RevisionRecord | undefined, cluster: ClusterView, before: PreviousBindings): TargetBindings {
    if (!revision || revision.mentions.length === 0) return NOTHING
    const shared = this.sharedOf(revision)
    if (!shared.ok) return this.failed(cluster, [shared.error])
    const sources = this.sources.of(cluster)
    const { bindings = [] } = revision.spec
    const found = resolveBindings(bindings, revision.mentions, shared.value, sources)
    if (!found.ok) {
      const isPending = found.error.every((f) => f.pending === true)
      return { ...this.failed(cluster, found.error), isPending }
    }
    if (found.value.size === 0) return NOTHING
    const digest = areSecret(found.value) ? this.digester(before) : ok(digestOf)
    if (!digest.ok) return this.failed(cluster, [digest.error])
    return { values: valuesBundle(found.value, digest.value), blockers: [], isPending: false }
  }

  private sharedOf({ values }: RevisionRecord): Result<Values, SourceFailure> {
    if (values === undefined) return ok(new Map())
    return this.shared.get(values) ?? err(fault('Fetching', { state: 'Values' }, true))
  }

  /** Values that are the same keep their digest, whichever key made it. */
  private digester({ record, inventory }: PreviousBindings) {
    const all = [record?.values, inventory?.spec.admitted?.values].filter((d) => d !== undefined)
    const digests = isRehashRequested(this.module) ? all.filter((d) => this.c.content.keys.has(d)) : all
    const where = `Inventory ${this.ref.namespace}/${inventory?.metadata.name ?? this.ref.name}`
    return this.c.content.keys.bundleDigester(this.ref.namespace, { where, module: this.ref, digests })
  }

  private failed(
    { name: cluster }: ClusterView,
    failures: readonly (BindingFailure | SourceFailure)[],
  ): TargetBindings {
    const { namespace } = this.ref
    const blockers = failures.map((failure): NewBlocker => {
      const { reason, facts, message } = failure
      const isBinding = 'name' in failure
      const on = isBinding ? bindingRefs(failure, namespace, cluster) : failure.on
      const unit = { kind: 'Unit', name: this.ref.name, namespace, cluster } as const
      return { reason, on: on.length > 0 ? on : [unit], facts, message }
    })
    return { values: undefined, blockers, isPending: false }
  }
}

/** Whether what is admitted is bound to what its record names. */
export const isBoundAsRecorded = (admitted: Admitted | undefined, record: Assignment | undefined): boolean =>
  record === undefined || record.revision !== admitted?.revision || record.values === admitted.values
