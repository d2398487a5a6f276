/**
 * A key that is lost for good. Where somebody gives it up (`lockstep reconcile --rebuild-digests`), what is on each cluster is compared
 * with what is admitted there, by dry runs. Where that is the same, the digests are made anew with the current key, and
 * nothing is written to the cluster; else it is said what differs, and nothing is changed.
 */

import { requestErrorText } from '@lockstep/kube/client'
import { jsonEqual, kidOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import { KEY_SECRET, REHASH_ANNOTATION, SYSTEM_NAMESPACE } from '../../api/labels.ts'
import {
  desiredStateOf,
  previewUnit,
  type UnitDesiredState,
  withLiveValueCopies,
} from '../../deliver/plan/index.ts'
import { entriesOf, type UnitMemory } from '../../deliver/state/index.ts'
import { differingObjects, differingText, rehashedSpec, rehashedStatus } from '../../deliver/step/index.ts'
import type { Bundle } from '../../sources/intake/index.ts'
import { type DigestKeys, isRehashRequested, type RevisionRecord } from '../cache/index.ts'
import type { Publication } from '../publish/index.ts'
import { failed, requeueAfter, unitFields } from '../runtime/index.ts'
import { boundBundleDigests } from './boundbundle.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope, writeInventory } from './unitscope.ts'
import { writeUnitStatus } from './unitstatus.ts'

/** A look costs two requests an object: one in vain is followed by another after so long. */
const AGAIN_MS = 30_000

export class Rehash {
  private readonly c: UnitDeps
  /** When a unit was looked at in vain; steady milliseconds. */
  private readonly looked = new WeakMap<UnitMemory, number>()

  constructor(context: UnitDeps) {
    this.c = context
  }

  /** Undefined: nobody has asked for it, or the unit needs none. */
  async reconcile(scope: UnitScope): Promise<ReconcileResult | undefined> {
    const { ref, inventory, memory } = scope
    const module = this.c.hub.module(ref)
    const { admitted } = inventory.spec
    if (!admitted || !module || !isRehashRequested(module) || !this.c.content.keys.secret) return undefined
    if (!hasLost(this.c.content.keys, inventory)) return undefined
    const revision = revisionOfUnit(this.c, ref, admitted.revision)
    const bundle = await this.c.content.bundles.bound(ref.namespace, admitted)
    // What is wrong with those is said by whoever delivers them; and what has no secrets any more needs no key.
    if (!revision || !bundle.ok || !bundle.value.sensitive) return undefined
    const leftMs =
      (this.looked.get(memory) ?? Number.NEGATIVE_INFINITY) + AGAIN_MS - this.c.env.clock.steady()
    if (leftMs > 0) return requeueAfter(leftMs)
    const bound = this.bind(scope, revision, bundle.value)
    return bound?.ok ? this.compare(scope, revision, bound.value) : undefined
  }

  /** With digests of keys that are there. Not kept: until it is compared, nothing may be decided by it. */
  private bind(scope: UnitScope, { spec }: RevisionRecord, bundle: Bundle) {
    const { ref, inventory, session } = scope
    const digests = boundBundleDigests(inventory).filter((d) => this.c.content.keys.has(d))
    const stored = { where: `Inventory ${inventory.metadata.name}`, module: ref, digests }
    const digest = this.c.content.keys.contentDigester(ref.namespace, inventory.spec.clusterUid, stored)
    if (!digest.ok) return undefined
    const binding = {
      namespace: spec.render?.namespace,
      ignore: spec.apply.ignore,
      dialects: spec.apply.dialects,
    }
    return desiredStateOf(bundle.objects, binding, (g, k, v) => session.served(g, k, v), digest.value)
  }

  private async compare(
    scope: UnitScope,
    { spec }: RevisionRecord,
    desired: UnitDesiredState,
  ): Promise<ReconcileResult> {
    const { inventory, session, label, ref, memory } = scope
    const objects = [...entriesOf(scope).values()]
    const changes = await previewUnit({
      cluster: session,
      desired,
      inventory: { uid: inventory.metadata.uid, objects },
      unit: label,
      namespace: ref.namespace,
      apply: spec.apply,
    })
    if (!changes.ok) {
      this.c.env.log.debug('deployed objects cannot be compared', { err: requestErrorText(changes.error) })
      return { ok: false }
    }
    const different = differingObjects(changes.value, objects)
    if (different.length === 0) {
      const copied = await withLiveValueCopies(session, desired, objects)
      return this.move(scope, { ...inventory.spec, objects }, copied)
    }
    this.looked.set(memory, this.c.env.clock.steady())
    const blockers = [refusal(scope, different)]
    const done = await writeUnitStatus(this.c, scope, { state: 'Failed', health: undefined, blockers })
    return done.ok ? requeueAfter(AGAIN_MS) : done
  }

  /** What a crash leaves undone is found again: each part by itself names no lost key any more. */
  private async move(
    { inventory, memory, ref, cluster }: UnitScope,
    spec: Inventory['spec'],
    desired: UnitDesiredState,
  ): Promise<ReconcileResult> {
    const next = rehashedSpec(spec, desired)
    const written = jsonEqual(next, inventory.spec)
      ? ({ ok: true, value: inventory } as const)
      : await writeInventory(this.c, inventory, next)
    if (!written.ok) return failed(written.error)
    // Of what this process remembers nothing may be compared with the new digests.
    memory.applied.clear()
    memory.gone.clear()
    memory.bound = undefined
    const status = rehashedStatus(written.value.status ?? {}, next, desired)
    const said = await this.c.status.update('inventories', written.value, status)
    if (said.error) return said
    const fields = unitFields(ref, cluster.name)
    this.c.env.log.info('digests of a lost key were rebuilt', Object.assign({ reason: 'Rehashed' }, fields))
    return requeueAfter(1)
  }
}

function refusal(
  { ref, cluster, inventory }: UnitScope,
  different: ReturnType<typeof differingObjects>,
): NewBlocker {
  const { name, namespace } = ref
  return blocked('HmacKeyMissing', [{ kind: 'Unit', name, namespace, cluster: cluster.name }], {
    secret: `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET}`,
    because: 'Differs',
    stored: `Inventory ${inventory.metadata.name}`,
    command: `lockstep diff ${name}@${cluster.name} --drift -n ${namespace}`,
    difference: differingText(different),
  })
}

const hasLost = (keys: DigestKeys, inventory: Inventory): boolean =>
  boundBundleDigests(inventory).some((d) => kidOf(d) !== undefined && !keys.has(d))

/** The request that is done: the source was looked at, and no unit names a lost key. */
export function completedRehash(
  keys: DigestKeys,
  module: Stored<Module>,
  publication: Publication,
  units: readonly { readonly inventory: Stored<Inventory> | undefined }[],
): string | undefined {
  const isPublished = publication.source === undefined && publication.settlesInMs === undefined
  const isDone = isPublished && !units.some((u) => u.inventory && hasLost(keys, u.inventory))
  return isDone && isRehashRequested(module) ? module.metadata.annotations?.[REHASH_ANNOTATION] : undefined
}
