/** What is said of a ClusterResourceSet in Continuous, from its Module and what that has delivered. */

import { refOf, type Stored } from '@lockstep/kube/object'
import { isOfCluster } from '../../api/blocker.ts'
import { CHECK_OVERDUE, DRIFT_DETECTED } from '../../api/conditions.ts'
import type { ClusterResourceSet, Inventory, Module, ResourceSetSourceRef } from '../../api/kinds/index.ts'
import type { WaitRef } from '../../api/reasons/index.ts'
import {
  isAllApplied,
  type SetClusterFacts,
  type SetDeletionCause,
  type SetMessagesSubject,
  type SetObjectFailure,
  setMessage,
  setReasonMessage,
} from '../../decisions/resourceset/index.ts'
import { entryFor, type SourceContent } from '../../deliver/modes/index.ts'
import { isWaitRefOf } from '../../deliver/state/index.ts'
import { isOtherCluster, type ManagedSetPlan, type SetClusterState } from '../cache/index.ts'
import { setWordsOf } from '../unit/index.ts'
import { companionModuleOf, companionNameTaken } from './companionmodule.ts'
import { companionInventoryOn } from './deliveredsources.ts'
import type { SetDeps } from './setdeps.ts'
import { FINAL } from './unitstatus.ts'

/** Why nothing of the set is delivered anywhere, beside what is wrong with one of its sources. */
export function continuousRefusals(
  c: Pick<SetDeps, 'hub'>,
  set: Stored<ClusterResourceSet>,
): { readonly reason: string; readonly message: string }[] {
  const taken = companionNameTaken(c.hub, set)
  if (taken !== undefined) return [{ reason: 'OwnedByAnother', message: taken }]
  const module = companionModuleOf(c.hub, set)
  // A summary over clusters has a count; a deadlock ends nowhere by itself.
  return (module?.status?.blockers ?? [])
    .filter((b) => (b.count === undefined && REFUSALS.has(b.reason)) || b.reason === 'Deadlock')
    .map((b) => ({ reason: b.reason, message: setMessage(b, setWordsOf(c, set)) }))
}

/** Of the whole revision; what is wrong with one source is said of that. */
const REFUSALS: ReadonlySet<string> = new Set([
  'BundleTooLarge',
  'CycleDetected',
  'DuplicateObject',
  'EmptyRender',
  'Halted',
  'InvalidObject',
  'InvalidOrder',
  'InvalidSpec',
])

/** Removals from deselected clusters that have failed. */
export function failedRemovalOf(
  c: Pick<SetDeps, 'hub'>,
  set: Stored<ClusterResourceSet>,
): SetDeletionCause | undefined {
  const found = companionModuleOf(c.hub, set)?.status?.blockers?.find((b) => b.reason === 'RemovalFailed')
  return found && { reason: found.reason, message: setMessage(found, setWordsOf(c, set)) }
}

/** All that the revision wants that is published is applied there, whether or not it is well. */
export function isRevisionApplied(
  module: Stored<Module> | undefined,
  there: Stored<Inventory> | undefined,
): boolean {
  const admitted = there?.spec.admitted
  if (!admitted || admitted.revision !== module?.status?.currentRevision) return false
  return isAllApplied(there.status ?? {}, admitted.contentSerial)
}

/** What is published may be what was there before one of the sources came. */
const hasEach = ({ contents }: ManagedSetPlan, record: Stored<Inventory> | undefined): boolean =>
  contents.every((c) => c.objects.length === 0 || entryFor(record?.spec.set, c.ref) !== undefined)

export function continuousStatusFacts(
  c: Pick<SetDeps, 'hub' | 'fleet'>,
  set: Stored<ClusterResourceSet>,
  plan: ManagedSetPlan,
  { view, isConnected, inventory }: SetClusterState,
): SetClusterFacts {
  const module = companionModuleOf(c.hub, set)
  const known = companionInventoryOn(c, set, view.name)
  // What was delivered to another cluster under this name says nothing of this one.
  const isOther = known !== undefined && isOtherCluster(known, c.fleet.connection(view)?.uid)
  const there = isOther ? undefined : known
  const isApplied = isRevisionApplied(module, there) && hasEach(plan, inventory)
  const words = setWordsOf(c, set)
  const convergence = before(module, known, view.name, words) ?? convergenceOf(known, isApplied, words)
  const failures = isApplied ? [] : failuresOf(known, plan.contents, words)
  const waits = view.paused !== undefined ? 'ClusterPaused' : convergence.message
  return {
    cluster: view.name,
    isConnected,
    isApplied,
    failures,
    convergence,
    ...(waits === undefined ? {} : { waiting: waits }),
  }
}

type Convergence = NonNullable<SetClusterFacts['convergence']>

/** Wait of a cluster that has not started the published revision, if it waits for more than its turn. */
function before(
  module: Stored<Module> | undefined,
  there: Stored<Inventory> | undefined,
  cluster: string,
  words: SetMessagesSubject,
): Convergence | undefined {
  const { currentRevision, rollout, blockers = [] } = module?.status ?? {}
  if (currentRevision === undefined || there?.spec.admitted?.revision === currentRevision) return undefined
  if (rollout?.ledger?.some((e) => e.cluster === cluster)) return undefined
  // A cluster that is another one than before gets nothing before a person has decided.
  const own = blockers.find((b) => b.reason === 'IdentityChanged' && isOfCluster(b, cluster))
  if (own) return { state: 'Waiting', message: setReasonMessage(own, words) }
  const gates = blockers.filter((b) => GATE.has(b.reason))
  if (gates.length === 0) return rolloutWait(blockers, words)
  const gate = gates.find((b) => concerns(b, cluster))
  return { state: 'Waiting', ...(gate ? { message: setReasonMessage(gate, words) } : {}) }
}

type ModuleBlocker = NonNullable<NonNullable<Module['status']>['blockers']>[number]

/** A summary names its first clusters; one that names none is about all. */
const concerns = ({ clusters = [], count = 0 }: ModuleBlocker, cluster: string): boolean =>
  clusters.length === 0 || clusters.includes(cluster) || count > clusters.length

/** What keeps all those from their turn that have not begun; a slot that is in use is free again soon, mostly. */
function rolloutWait(blockers: readonly ModuleBlocker[], words: SetMessagesSubject): Convergence | undefined {
  const stop = blockers.find((b) => STOPS.has(b.reason))
  if (stop) return { state: 'Waiting', message: setReasonMessage(stop, words) }
  const slot = blockers.find((b) => b.reason === 'RolloutLimit')
  return slot && { state: 'Updating', message: setReasonMessage(slot, words) }
}

const STOPS: ReadonlySet<string> = new Set(['Halted', 'TooManyUnreachable'])

const GATE: ReadonlySet<string> = new Set([
  'CycleDetected',
  'Deadlock',
  'DependencyDeleting',
  'DependencyMissing',
  'DependencyNotReady',
  'DependencyNotSelected',
  'DependencyNotStarted',
  'DependencyPinned',
  'DependencyStale',
  'OwnedByAnother',
  'ReleaseMismatch',
])

/** Nothing is written there before a person has decided. */
const OF_HUB: ReadonlySet<string> = new Set(['HubRestored', 'OwnedByAnotherHub'])

export function convergenceOf(
  there: Pick<Inventory, 'status'> | undefined,
  isApplied: boolean,
  words: SetMessagesSubject,
): Convergence {
  const { state, blockers = [], conditions = [] } = there?.status ?? {}
  // What is known of it says nothing as long as its hub knows less than the cluster does.
  const held = blockers.find((b) => OF_HUB.has(b.reason))
  if (held) return { state: 'Failed', message: setReasonMessage(held, words) }
  const fight = blockers.find((b) => b.reason === 'FieldFight')
  if (fight) return { state: 'FieldFight', message: setMessage(fight, words) }
  const left = blockers.find((b) => b.reason === 'DriftNotReverted' || b.reason === 'DeletionFight')
  if (left) return { state: 'Drifted', message: setMessage(left, words) }
  const drift = conditions.find((x) => x.type === DRIFT_DETECTED && x.status === 'True')
  if (drift) return { state: 'Drifted', message: drift.message }
  const [first] = blockers
  const because = first ? { message: setReasonMessage(first, words) } : {}
  if (state === 'Failed') return { state: 'Failed', ...because }
  const waits = first?.reason === 'KindNotServed' || first?.reason.startsWith('Waiting') === true
  if (state === 'Blocked' || state === 'Waiting' || waits) return { state: 'Waiting', ...because }
  if (!isApplied || state !== 'Ready') return { state: 'Updating', ...because }
  const late = conditions.find((x) => x.reason === CHECK_OVERDUE)
  return late ? { state: CHECK_OVERDUE, message: late.message } : { state: 'InSync' }
}

/** Of the source that the object is from, as far as that can be told. */
function failuresOf(
  there: Stored<Inventory> | undefined,
  contents: readonly SourceContent[],
  words: SetMessagesSubject,
): SetObjectFailure[] {
  if (there?.status?.state !== 'Failed') return []
  return (there.status.blockers ?? []).flatMap((b) => {
    const source = sourceOf(b.on?.[0], contents)
    return source ? [{ source, message: setMessage(b, words), isFinal: FINAL.has(b.reason) }] : []
  })
}

function sourceOf(
  on: WaitRef | undefined,
  contents: readonly SourceContent[],
): ResourceSetSourceRef | undefined {
  const isIt = contents.find((s) => s.objects.some(({ object }) => isWaitRefOf(refOf(object), on)))
  return (isIt ?? contents[0])?.ref
}
