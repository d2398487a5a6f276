import type { Actor } from './reason.ts'
import { type FactReason, reasonTable } from './reasontable.ts'

/**
 * Every reason for which something waits or has failed, once. `act` says who can end it: it is what a person
 * reading the message needs to know first.
 */
type Act = 'nobody' | 'cause' | 'releaseManager' | 'author' | 'otherOwner' | 'platform'

const withoutFacts = {
  // Passes by itself.
  Applying: 'nobody',
  WaitingForObject: 'nobody',
  WaitingForHook: 'nobody',
  WatchStale: 'nobody',
  FinalizerPending: 'nobody',
  Removing: 'nobody',
  SourceNotSettled: 'nobody',
  CausedByPromotion: 'nobody',
  PromotionInProgress: 'nobody',
  VerificationRunning: 'nobody',
  HostRateLimited: 'nobody',
  HostInconsistent: 'nobody',
  MergeBlocked: 'nobody',
  ClosingPullRequests: 'nobody',
  DriftDetected: 'nobody',
  // Ends when its cause does.
  NamespaceInUse: 'cause',
  NotApplied: 'cause',
  TargetNotReady: 'cause',
  RevisionsDiffer: 'cause',
  // Somebody decides about a release.
  PruneConfirmation: 'releaseManager',
  AwaitingMerge: 'releaseManager',
  AwaitingManualPromotion: 'releaseManager',
  BranchModified: 'releaseManager',
  RevertedInGit: 'releaseManager',
  ConvergeDeadlineExceeded: 'releaseManager',
  VerificationFailed: 'releaseManager',
  // The module's author changes the module or its manifests.
  NamespaceMissing: 'author',
  ObjectExists: 'author',
  InvalidResource: 'author',
  WrongSecretType: 'author',
  InvalidSetting: 'author',
  FieldsMayRemain: 'author',
  IdentityConflict: 'author',
  StrategyAmbiguous: 'author',
  HostUnsupported: 'author',
  ApplyFailed: 'author',
  ImmutableField: 'author',
  ReplaceRefused: 'author',
  ObjectFailed: 'author',
  HookFailed: 'author',
  HookTimeout: 'author',
  HealthTimeout: 'author',
  KindNotServed: 'author',
  WaitNotFound: 'otherOwner',
  WaitKindNotServed: 'otherOwner',
  DriftNotReverted: 'author',
  NamespaceNotAllowed: 'author',
  NothingToEdit: 'author',
  PipelineNotFound: 'author',
  PromotionTargetAmbiguous: 'author',
  EditRefused: 'author',
  // The owner of another object or field.
  OwnedByAnother: 'otherOwner',
  NotOwned: 'otherOwner',
  ApplyConflict: 'otherOwner',
  AdoptionRefused: 'otherOwner',
  FieldFight: 'otherOwner',
  FieldOwned: 'otherOwner',
  BranchConflict: 'otherOwner',
  // The platform team.
  TargetUnreachable: 'platform',
  HostUnreachable: 'platform',
  HostRefused: 'platform',
  RepositoryNotFound: 'platform',
  RetriesExhausted: 'platform',
  PreviousControllerActive: 'platform',
  StrategyUnknownUpstream: 'platform',
  CheckOverdue: 'platform',
  HubRestored: 'platform',
  OwnedByAnotherHub: 'platform',
  Forbidden: 'platform',
  WaitForbidden: 'platform',
  QuotaExceeded: 'platform',
  PruneBlocked: 'platform',
  BundleLost: 'platform',
} as const satisfies Record<string, Act>

/** Reasons of Events that no blocker has: something has happened, and nobody has to act. */
export type EventReason =
  | 'Published'
  | 'Complete'
  | 'TagMoved'
  | 'CommitNotOnRef'
  | 'Orphaned'
  | 'DriftReverted'
  | 'HookOutput'
  | 'ApprovalDeletedLate'
  | 'StageEmpty'
  | 'BindingShadowsEnv'
  | 'RenderWarned'
  | 'SelectorChanged'
  | 'Applied'
  | 'Pruned'
  | 'TakenOver'
  | 'HandedBack'
  | 'PauseRemoved'
  | 'Promote'

/** Every reason for which something waits or has failed. */
export type BlockerReason = keyof typeof withoutFacts | FactReason

/** Who ends a wait; undefined: the reason is of a newer controller. */
export function actorOf(name: string): Actor | undefined {
  if (Object.hasOwn(reasonTable, name)) return reasonTable[name as FactReason].actor
  const act = (withoutFacts as Readonly<Record<string, Act>>)[name]
  return act === undefined ? undefined : ACTORS[act]
}

export const reasonNames: readonly BlockerReason[] = [
  ...(Object.keys(reasonTable) as FactReason[]),
  ...(Object.keys(withoutFacts) as (keyof typeof withoutFacts)[]),
]

const ACTORS: Readonly<Record<Act, Actor>> = {
  nobody: 'none',
  cause: 'cause',
  releaseManager: 'approver',
  author: 'author',
  otherOwner: 'owner',
  platform: 'platform',
}
