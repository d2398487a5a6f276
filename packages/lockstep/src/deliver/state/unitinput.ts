/** What a decision about a unit starts from, and where each node of its order stands. */

import type { Health } from '@lockstep/health/health'
import type { NewBlocker } from '../../api/blocker.ts'
import type {
  HookRecord,
  Inventory,
  InventoryObject,
  ModuleSpec,
  WriteIntent,
} from '../../api/kinds/index.ts'
import type { OrderEdge } from '../../decisions/order/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { Drift } from '../drift/drift.ts'
import type { DelayedRevert } from '../drift/driftrevert.ts'
import type { OtherUnits } from '../ownership/foreignunit.ts'
import type { DesiredObject, UnitDesiredState } from '../plan/desiredstate.ts'
import type { RecreatedObject } from '../write/recreate.ts'
import type { ObjectLookup, WaitResult } from './lookup.ts'
import type { UnitMemory } from './unitmemory.ts'

export interface UnitInput {
  /** Objects of intents that were never written down (`intents.ts`). */
  readonly announced: readonly InventoryObject[]
  readonly unit: string
  readonly inventory: Inventory & { readonly metadata: { readonly uid: string } }
  readonly desired: UnitDesiredState
  /** The unit is being deleted: other hooks count. */
  readonly leaving: boolean
  /** 'unknown': the cache of its kind is not complete yet. */
  readonly live: (d: DesiredObject) => LiveObject | 'unknown' | undefined
  /** An object without our label, whose write was refused; 'unknown': it cannot be read. */
  readonly unlabeled: (d: DesiredObject) => LiveObject | 'unknown' | undefined
  /** A Job or Pod with this uid had succeeded when it was deleted. */
  readonly ended: (uid: string) => boolean
  readonly outside: ObjectLookup
  readonly others: OtherUnits
  /** Objects with the marks of a lost Inventory of this unit, by identity, that the unit adopts. */
  readonly marked: ReadonlySet<string>
  /** Number of objects of the bundle with such marks that no intent confirms. */
  readonly unconfirmed: number
  /** How an application of the group is on this cluster, which a Module of its own delivers. */
  readonly application: (name: string) => WaitResult
  /** The words with which the cluster refuses to list objects of a hook's kind. */
  readonly unlisted: (record: HookRecord) => string | undefined
  /** What has the name of a hook's run, if it carries our label. */
  readonly instance: (record: HookRecord) => LiveObject | 'unknown' | undefined
  /** Whether it is known what an intent has come to: all objects of its kind are known, and no other unit still holds the object. */
  readonly isSeen: (intent: WriteIntent) => boolean
  readonly memory: UnitMemory
  readonly apply: ModuleSpec['apply']
  readonly health: ModuleSpec['health']
  /** Objects that get a dry run before the first write: all that change, or those that are new or have other fields. */
  readonly dryRuns: 'None' | 'Updates' | 'NewFields'
  readonly steady: number
  readonly now: number
}

export type NodeState =
  /** Not written, or differs from what it should be. */
  | {
      readonly type: 'todo'
      readonly entry: InventoryObject | undefined
      readonly live: LiveObject | undefined
      /** What others have done to it, and is put right now. */
      readonly drift: Drift | undefined
    }
  /** As it should be; `reached` says which asks it satisfies. */
  | {
      readonly type: 'applied'
      readonly health: Health
      readonly settlesInMs: number
      readonly failed: NewBlocker | undefined
      /** What others have done to it, and stays so for now. */
      readonly drift: Drift | undefined
      /** It is put right, but not yet. */
      readonly held: DelayedRevert | undefined
      /** What waits for it goes on, though it is not well yet. */
      readonly unblocks?: true
      /** The label of the unit that took the object by its `takeOverFrom`, though this one has it too. */
      readonly handedOverTo?: string
    }
  /** Tried, refused, tried again later. */
  | {
      readonly type: 'failed'
      readonly blocker: NewBlocker
      readonly transient: boolean
      readonly retryAt: number
      readonly drift?: Drift
    }
  /** Nothing can be said or done yet. */
  | {
      readonly type: 'waiting'
      readonly blocker: NewBlocker
      readonly drift?: Drift
      /** Time alone makes it another state then. */
      readonly wakeInMs?: number
    }
  /** Refused, since a field cannot change: it is deleted, and created again. */
  | {
      readonly type: 'replace'
      readonly live: LiveObject
      readonly replaces: RecreatedObject
      readonly announced: boolean
    }
  /** A condition on an object that is not delivered here. */
  | { readonly type: 'wait'; readonly met: true }
  | {
      readonly type: 'wait'
      readonly met: false
      readonly blocker: NewBlocker
      /** Something has stood still for it longer than `health.timeoutSeconds`. */
      readonly late: boolean
      readonly wakeInMs: number | undefined
    }
  | { readonly type: 'hook'; readonly stage: HookStage }
  /** It leaves, and is still there. */
  | { readonly type: 'delete'; readonly entry: InventoryObject; readonly blocker?: NewBlocker }
  | { readonly type: 'barrier' }

/** Where a hook stands, for the content that is delivered now. */
export type HookStage =
  /** This content does not call for it. */
  | { readonly is: 'Skipped' }
  | { readonly is: 'Succeeded' }
  /** It may begin once all that it needs is reached. */
  | { readonly is: 'Due'; readonly attempt: number; readonly attempts: number }
  | { readonly is: 'Running'; readonly isThere: boolean; readonly blocker: NewBlocker }
  /** Nothing can be done about it yet. */
  | { readonly is: 'Waiting'; readonly blocker: NewBlocker }
  /** Its object was refused; tried again at `retryAt`, steady milliseconds. */
  | { readonly is: 'Refused'; readonly blocker: NewBlocker; readonly retryAt: number }
  /** `retryAt`: when another attempt begins, wall clock in milliseconds; undefined: that was the last one. */
  | { readonly is: 'Failed'; readonly blocker: NewBlocker; readonly retryAt: number | undefined }

export interface Evaluation {
  readonly states: readonly NodeState[]
  /** Nodes that may start now: in order. */
  readonly ready: readonly number[]
  /** The first unmet need of each node that waits for another. */
  readonly unmet: ReadonlyMap<number, OrderEdge>
  /** Conditions that are not met and alone keep something from starting. */
  readonly holding: ReadonlySet<number>
  /** What leaves now, since something waits for nothing else. */
  readonly leaving: readonly InventoryObject[]
  /** All is applied, healthy and run but for what comes after it (PostSync): what is left over may go. */
  readonly synced: boolean
  /** That, too. */
  readonly complete: boolean
  /** Runs of an earlier content: nothing begins before they end. */
  readonly former: readonly HookRecord[]
  /** A cache is not complete yet: nothing may be said of the whole. */
  readonly unsure: boolean
  /** What others have done, and is not put right yet, or is not to be. */
  readonly drifts: readonly Drift[]
}
