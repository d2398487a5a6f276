import type { Actor } from './reason.ts'
import { type FactReason, reasonTable } from './reasontable.ts'

/**
 * Every reason for which something waits or has failed, once. `act` says who can end it: it is what a person
 * reading the message needs to know first.
 */
type Act = 'nobody' | 'cause' | 'releaseManager' | 'author' | 'otherOwner' | 'platform'

const withoutFacts = {
  // Passes by itself.
  RolloutLimit: 'nobody',
  DisruptionBudget: 'nobody',
  StagePending: 'nobody',
  RolloutInProgress: 'nobody',
  Soaking: 'nobody',
  WindowClosed: 'nobody',
  Applying: 'nobody',
  WaitingForObject: 'nobody',
  WaitingForHook: 'nobody',
  WatchStale: 'nobody',
  Fetching: 'nobody',
  FinalizerPending: 'nobody',
  Provisioning: 'nobody',
  InFlightLimit: 'nobody',
  Removing: 'nobody',
  SourceRateLimited: 'nobody',
  PreviousModuleRemoving: 'nobody',
  DriftDetected: 'nobody',
  // Ends when its cause does.
  NamespaceInUse: 'cause',
  StageGate: 'cause',
  StageInconclusive: 'cause',
  // Somebody decides about a release.
  Halted: 'releaseManager',
  RolledBack: 'releaseManager',
  RollbackFailed: 'releaseManager',
  NothingToRollBackTo: 'releaseManager',
  RollbackTargetUnknown: 'releaseManager',
  RolledBackWithDependency: 'releaseManager',
  AwaitingApproval: 'releaseManager',
  ApprovalForOtherRevision: 'releaseManager',
  Held: 'releaseManager',
  HoldConflict: 'releaseManager',
  PinnedRevisionUnknown: 'releaseManager',
  StageUnknown: 'releaseManager',
  TargetMissing: 'releaseManager',
  ProgressDeadlineExceeded: 'releaseManager',
  DeletionBlocked: 'releaseManager',
  PruneConfirmation: 'releaseManager',
  RemovalTooLarge: 'releaseManager',
  DependentsRemain: 'releaseManager',
  // The module's author changes the module or its manifests.
  InvalidExpression: 'author',
  ReleaseNotCompared: 'author',
  CycleDetected: 'author',
  InvalidSpec: 'author',
  InvalidObject: 'author',
  DuplicateObject: 'author',
  InvalidAnnotation: 'author',
  UnsupportedAnnotation: 'author',
  NamespaceMissing: 'author',
  EmptyRender: 'author',
  BundleTooLarge: 'author',
  ResourceNotFound: 'author',
  NoTargets: 'author',
  StrategyAmbiguous: 'author',
  HostUnsupported: 'author',
  RenderFailed: 'author',
  ChartDependencyMissing: 'author',
  NondeterministicRender: 'author',
  RemoteBaseRefused: 'author',
  RefNotFound: 'author',
  RefMoved: 'author',
  ResolvedOlder: 'author',
  PathMissing: 'author',
  PathEscapes: 'author',
  ArchiveRefused: 'author',
  SourceTooLarge: 'author',
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
  SelectsNothing: 'author',
  ClusterMissing: 'author',
  DriftNotReverted: 'author',
  NamespaceNotAllowed: 'author',
  BindingUnresolved: 'author',
  BindingInvalid: 'author',
  // The owner of another object or field.
  OwnedByAnother: 'otherOwner',
  NotOwned: 'otherOwner',
  ApplyConflict: 'otherOwner',
  AdoptionRefused: 'otherOwner',
  FieldFight: 'otherOwner',
  // The platform team.
  ClusterUnreachable: 'platform',
  ClusterNotConnected: 'platform',
  CheckOverdue: 'platform',
  TooManyUnreachable: 'platform',
  ClockSkew: 'platform',
  KubeconfigMissing: 'platform',
  CredentialRefused: 'platform',
  CredentialsRejected: 'platform',
  IdentityChanged: 'platform',
  IdentityUnreadable: 'platform',
  HubRestored: 'platform',
  OwnedByAnotherHub: 'platform',
  DuplicateOf: 'platform',
  ClusterPaused: 'platform',
  Forbidden: 'platform',
  ApprovalUnreadable: 'platform',
  WaitForbidden: 'platform',
  QuotaExceeded: 'platform',
  PruneBlocked: 'platform',
  BundleLost: 'platform',
  BundleCorrupt: 'platform',
  BundleConflict: 'platform',
  HmacKeyMissing: 'platform',
  HubUnreachable: 'platform',
  SourceUnreachable: 'platform',
  SourceAuthFailed: 'platform',
  HostKeyUnknown: 'platform',
  RedirectRefused: 'author',
  ToolMissing: 'platform',
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
