/** Hooks of a unit that leaves: what runs ends first, then those before the deletion; in the end those after it. */

import { ok, type Result } from '@lockstep/kube/env'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { NewBlocker } from '../../../api/blocker.ts'
import {
  applySettings,
  type HookRecord,
  healthSettings,
  type InventoryObject,
} from '../../../api/kinds/index.ts'
import {
  endedHooks,
  hookEffects,
  hookInstanceOf,
  hookProgressOf,
  hookRequeueMs,
  refusedEffects,
  runningBlocker,
} from '../../../deliver/hooks/index.ts'
import { noOtherUnits } from '../../../deliver/ownership/index.ts'
import { type DesiredSteps, type UnitDesiredState, withLiveValueCopies } from '../../../deliver/plan/index.ts'
import type { UnitInput } from '../../../deliver/state/index.ts'
import type { SourceFailure } from '../../../sources/intake/index.ts'
import { type RevisionRecord, unknownRevision } from '../../cache/index.ts'
import { hubTime, requeueAfter } from '../../runtime/index.ts'
import { bindBundle } from '../boundbundle.ts'
import { isKindSynced } from '../prunenode.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope } from '../unitscope.ts'
import { writeUnitStatus } from '../unitstatus.ts'
import { instanceAt, performEffects, startHooks, unlistedAt, writeHooks } from './starthooks.ts'

type RecordPhase = HookRecord['phase']
const BEFORE: readonly RecordPhase[] = ['PreSync', 'Sync', 'PostSync', 'SyncFail']

/** What the hooks of a unit that leaves are decided from. */
export async function deleteHooksInput(
  c: UnitDeps,
  scope: UnitScope,
): Promise<Result<UnitInput, SourceFailure>> {
  const { admitted } = scope.inventory.spec
  const needed = admitted?.deleteHooks ? await desiredAtEnd(c, scope) : ok(NOTHING)
  if (!needed.ok) return needed
  const { desired, revision } = needed.value
  return ok({
    announced: [],
    unit: scope.label,
    inventory: scope.inventory,
    leaving: true,
    desired,
    live: () => undefined,
    unlabeled: () => 'unknown',
    ended: () => false,
    // Only hooks are looked at.
    outside: () => ({ type: 'NotServed' }),
    others: noOtherUnits,
    marked: new Set(),
    unconfirmed: 0,
    application: () => ({ type: 'met' }),
    unlisted: (record) => unlistedAt(scope, record),
    instance: (record) => instanceAt(scope, record),
    isSeen: (intent) => isKindSynced(scope, intent),
    memory: scope.memory,
    apply: revision?.spec.apply ?? applySettings.parse({}),
    health: revision?.spec.health ?? healthSettings.parse({}),
    dryRuns: 'None',
    steady: c.env.clock.steady(),
    now: hubTime(c).nowMs,
  })
}

interface AtEnd {
  readonly desired: UnitDesiredState
  readonly revision: RevisionRecord | undefined
}

/** Of a unit whose bundle nobody needs any more. */
const NOTHING: AtEnd = {
  revision: undefined,
  desired: {
    graph: {
      nodes: [],
      needs: [],
      sequence: [],
      depths: [],
      removals: [],
      configs: [],
      warnings: [],
      syncFail: [],
      preDelete: [],
      postDelete: [],
    },
    objects: [],
    hooks: [],
    syncFail: [],
    preDelete: [],
    postDelete: [],
    byId: new Map(),
    letGo: new Set(),
    contentDigest: '',
  },
}

async function desiredAtEnd(c: UnitDeps, scope: UnitScope): Promise<Result<AtEnd, SourceFailure>> {
  const { ref, inventory } = scope
  const admitted = inventory.spec.admitted!
  const revision = revisionOfUnit(c, ref, admitted.revision)
  if (!revision) return { ok: false, error: unknownRevision(ref, admitted.revision) }
  const bundle = await c.content.bundles.bound(ref.namespace, admitted)
  if (!bundle.ok) return bundle
  const desired = bindBundle(c, scope, revision, bundle.value)
  if (!desired.ok) return desired
  const copied = await withLiveValueCopies(scope.session, desired.value, inventory.spec.objects ?? [])
  return ok({ desired: copied, revision })
}

/** Undefined: the objects may go. */
export async function runPreDeleteHooks(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
): Promise<ReconcileResult | undefined> {
  const { preDelete } = input.desired
  return (await running(c, scope, input, new Set())) ?? run(c, scope, input, preDelete)
}

/** Objects of hooks that ran before; undefined: none is left. */
export function deleteHookObjects(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
): Promise<ReconcileResult | undefined> {
  return clear(c, scope, input, new Set<RecordPhase>([...BEFORE, 'PreDelete']))
}

/** Undefined: all is done, and nothing of the hooks is left. */
export async function runPostDeleteHooks(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
): Promise<ReconcileResult | undefined> {
  const { postDelete } = input.desired
  const busy = (await running(c, scope, input, new Set())) ?? (await run(c, scope, input, postDelete))
  return busy ?? clear(c, scope, input, new Set<RecordPhase>([...BEFORE, 'PreDelete', 'PostDelete']))
}

/** Namespaces that hooks after the deletion run in, and definitions of their kinds: they go last of all. */
export function isNeededByPostDelete({ desired }: UnitInput): (o: InventoryObject) => boolean {
  const hooks = desired.postDelete.flat()
  const namespaces = new Set(hooks.flatMap((h) => h.ref.namespace ?? []))
  const definitions = new Set(
    hooks.flatMap((h) => (h.resource ? [`${h.resource.plural}.${h.resource.group}`] : [])),
  )
  return ({ group, kind, name }) =>
    (group === '' && kind === 'Namespace' && namespaces.has(name)) ||
    (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition' && definitions.has(name))
}

/** Results, and what follows from them; then what still runs is waited for. */
async function running(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
  all: ReadonlySet<RecordPhase>,
): Promise<ReconcileResult | undefined> {
  const records = endedHooks(input, false)
  if (records) return (await writeHooks(c, scope, records, input)) ?? requeueAfter(1)
  const effects = hookEffects(input, { phases: new Set(BEFORE), stale: false, all })
  if (effects.length > 0) return (await performEffects(c, scope, effects)) ?? requeueAfter(1)
  const busy = (input.inventory.spec.hooks ?? []).filter((r) => r.state === 'Running')
  const others = busy.filter((r) => BEFORE.includes(r.phase))
  return others.length === 0
    ? undefined
    : waits(
        c,
        scope,
        input,
        others.map((r) => runningBlocker(r, input)),
      )
}

async function run(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
  steps: DesiredSteps,
): Promise<ReconcileResult | undefined> {
  const progress = hookProgressOf(steps, input)
  if (progress.isDone) return undefined
  if (progress.starts.length > 0)
    return (await startHooks(c, scope, input, progress.starts)) ?? requeueAfter(1)
  const blockers = progress.stages.flatMap((s) => ('blocker' in s ? [s.blocker] : []))
  return waits(c, scope, input, blockers)
}

/** The objects of some phases go, whatever their policy. */
async function clear(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
  all: ReadonlySet<RecordPhase>,
): Promise<ReconcileResult | undefined> {
  const busy = await running(c, scope, input, all)
  if (busy) return busy
  const left = (input.inventory.spec.hooks ?? []).filter((r) => {
    return all.has(r.phase) && hookInstanceOf(r, input).is !== 'gone'
  })
  if (left.length === 0) return undefined
  return waits(
    c,
    scope,
    input,
    left.map((r) => runningBlocker(r, input)),
  )
}

async function waits(
  c: UnitDeps,
  scope: UnitScope,
  input: UnitInput,
  blockers: readonly NewBlocker[],
): Promise<ReconcileResult> {
  const all = [...refusedEffects(input), ...blockers]
  const said = await writeUnitStatus(c, scope, { state: 'Removing', health: undefined, blockers: all })
  if (!said.ok) return said
  const times = [hookRequeueMs(input), said.requeueAfterMs].filter((x) => x !== undefined)
  return times.length > 0 ? requeueAfter(Math.min(...times)) : { ok: true }
}
