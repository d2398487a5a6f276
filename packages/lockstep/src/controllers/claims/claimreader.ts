/** Claims of revisions on clusters: as they were recorded, else from the bundle, which is read once a process. */
import type { Digest } from '@lockstep/kube/object'
import { resolveBindings, type ValueSources, type Values } from '../../decisions/binding/index.ts'
import { ClaimSet, claimTextsOf } from '../../decisions/ownership/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { ServedKinds } from '../../fleet/connection/index.ts'
import { type BundleStore, valuesOf } from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import { givenOf, lookupCluster } from '../publish/index.ts'

/** A cluster as claims are bound to it. */
export interface ClaimPlace {
  readonly view: ClusterView
  readonly served: ServedKinds['served']
}

const NO_VALUES: Values = new Map()

export class ClaimReader {
  private readonly bundles: BundleStore
  /** Claims of revisions that have none recorded. They go with the revision. */
  private readonly read = new WeakMap<RevisionRecord, readonly string[]>()
  /** Claims that are the same on all clusters. They go with the revision. */
  private readonly shared = new WeakMap<RevisionRecord, ClaimSet>()

  constructor(bundles: BundleStore) {
    this.bundles = bundles
  }

  /** `values`: digest of the values on the cluster, where they are assigned. Undefined: the bundle cannot be read now. */
  async setOf(
    record: RevisionRecord,
    { view, served }: ClaimPlace,
    values: Digest | undefined,
  ): Promise<ClaimSet | undefined> {
    const known = this.shared.get(record)
    if (known) return known
    const texts = await this.textsOf(record)
    if (!texts) return undefined
    const isMentioning = record.mentions.length > 0 && texts.some((t) => t.includes('$('))
    const { namespace } = record.spec.render ?? {}
    const set = new ClaimSet(texts, {
      namespace,
      values: isMentioning ? await this.valuesOn(record, view, values) : NO_VALUES,
      isNamespaced: (group, kind) => served(group, kind)?.namespaced,
    })
    if (!isMentioning && namespace === undefined) this.shared.set(record, set)
    return set
  }

  private async textsOf(record: RevisionRecord): Promise<readonly string[] | undefined> {
    if (record.claims) return record.claims
    const known = this.read.get(record)
    if (known) return known
    const bundle = await this.bundles.get(record.namespace, record.bundle)
    const texts = bundle.ok ? claimTextsOf(bundle.value.objects, record.spec.apply.dialects) : undefined
    if (!texts?.ok) return undefined
    this.read.set(record, texts.value)
    return texts.value
  }

  /** As assigned; before that as far as the cluster itself and the values of all clusters say. */
  private async valuesOn(
    record: RevisionRecord,
    view: ClusterView,
    assigned: Digest | undefined,
  ): Promise<Values> {
    const { namespace, mentions, spec } = record
    const stored = assigned === undefined ? undefined : await this.bundles.get(namespace, assigned)
    if (stored?.ok) return valuesOf(stored.value)
    const shared = record.values === undefined ? undefined : await this.bundles.get(namespace, record.values)
    const known = shared?.ok ? valuesOf(shared.value) : NO_VALUES
    const found = mentions.flatMap((name) => {
      const resolved = resolveBindings(spec.bindings ?? [], [name], known, knownOf(view))
      return resolved.ok ? [...resolved.value] : []
    })
    return new Map([...known, ...found])
  }
}

/** Values from the view of a cluster; no object is read. */
const knownOf = (view: ClusterView): ValueSources => ({
  given: (name) => givenOf(view, name),
  cluster: (what) =>
    what.fieldPath === undefined ? lookupCluster(view, what) : { type: 'Pending', text: 'not read' },
  key: () => ({ type: 'Pending', text: 'not read' }),
  object: () => ({ type: 'Pending', text: 'not read' }),
})
