/** Reasons of rollouts: limits, budgets, Holds, halts and rollbacks. */

import { clustersText, countText, firstName, listText, named, nameOf, unitArgument } from './nameof.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, sampleOf, type WaitRef, type WaitRefOf } from './waitref.ts'

const hold: WaitRefOf<'Hold'> = { kind: 'Hold', name: 'audit', namespace: 'platform' }
const module: WaitRefOf<'Module'> = { kind: 'Module', name: 'hello', namespace: 'platform' }
const unit: WaitRefOf<'Unit'> = { kind: 'Unit', name: 'hello', namespace: 'platform', cluster: 'cluster-1' }
const budget: WaitRefOf<'Budget'> = { kind: 'Budget', name: 'eu', namespace: 'platform' }

/** The Module of a rollout. */
const moduleArgument = ({ on }: { readonly on: readonly WaitRef[] }): string => on[0]?.name ?? 'MODULE'
const retry = (f: { readonly on: readonly WaitRef[] }): string =>
  `publish another revision, or run: lockstep rollout retry ${moduleArgument(f)}`
const queued = (n: number): string => `${countText(n, 'cluster')} queued`
const namesText = (names: readonly string[], count: number): string =>
  names.length === 0 ? '' : ` (${listText(names, count)})`

const limitText = (f: { readonly limit: string; readonly stage?: string | undefined }): string =>
  f.stage === undefined ? f.limit : `${f.limit} of stage ${f.stage}`

export const rolloutReasons = {
  Halted: reason({
    actor: 'approver',
    // The units that failed; the Module once all of them have recovered.
    on: sampleOf('Unit', 'Module'),
    facts: {
      revision: text,
      failed: number,
      maxFailed: number,
      names: texts,
      resumes: oneOf('Recovered').optional(),
    },
    message: (f) => {
      const cause =
        f.failed === 0
          ? 'clusters failed'
          : `${countText(f.failed, 'cluster')} failed${namesText(f.names, f.failed)}`
      const recover = f.resumes === undefined ? '' : ', wait until the clusters recover'
      return `rollout of ${f.revision} halted: ${cause}, maxFailed ${f.maxFailed}; publish a fix${recover} or run "lockstep rollout retry ${moduleArgument(f)}"`
    },
    meaning: 'More clusters failed than maxFailed allows; no cluster starts.',
    advice: (f) => `fix the failed clusters, then ${retry(f)}`,
    examples: [
      { on: [unit], revision: '6f39a1c02b', failed: 2, maxFailed: 1, names: ['cluster-1', 'cluster-2'] },
    ],
  }),
  Held: reason({
    actor: 'approver',
    on: oneOrMore('Hold'),
    facts: {
      action: oneOf('Suspend', 'Pause'),
      /** The suspended or paused Module, as commands name it. */
      target: text.optional(),
      /** `spec.reason` of a Hold on a Pipeline. */
      reason: text.optional(),
    },
    message: (f) =>
      `${f.action === 'Suspend' ? 'suspended' : 'paused'} by ${firstName(f)}${f.reason === undefined ? '' : `: ${f.reason}`}`,
    meaning: 'A Hold suspends or pauses the Module or Pipeline, or some of its clusters or environments.',
    advice: (f) =>
      f.target === undefined
        ? `delete ${firstName(f)}, or wait for its end`
        : `resume it: lockstep resume ${f.target}, or delete ${firstName(f)}`,
    examples: [{ on: [hold], action: 'Pause', target: 'hello' }],
  }),
  HoldConflict: reason({
    actor: 'approver',
    on: oneOrMore('Hold'),
    facts: {},
    message: (f) =>
      `Holds ${listText(f.on.map((h) => h.name))} pin different revisions${f.clusters ? ` on ${clustersText(f.clusters)}` : ''}; the current revision stays`,
    meaning: 'Two Holds pin one cluster at different revisions.',
    advice: (f) => `delete one of ${listText(f.on.map(nameOf))}`,
    examples: [
      {
        on: [hold, { kind: 'Hold', name: 'freeze', namespace: 'platform' }],
        clusters: { count: 1, names: ['cluster-1'] },
      },
    ],
  }),
  PinnedRevisionUnknown: reason({
    actor: 'approver',
    on: oneOrMore('Hold'),
    facts: { revision: text },
    message: (f) =>
      `${firstName(f)} pins revision ${f.revision}, which is not in the history; the current revision stays`,
    meaning: 'A Hold pins a cluster at a revision that is not in the history.',
    advice: () => 'pin a revision of: lockstep rollout history',
    examples: [{ on: [hold], revision: '6f39a1c02b' }],
  }),
  TooManyUnreachable: reason({
    actor: 'platform',
    on: sampleOf('Cluster'),
    facts: { unreachable: number, total: number, max: number },
    message: (f) =>
      `${f.unreachable} of ${countText(f.total, 'cluster')} unreachable, maxUnreachable ${f.max}; no cluster starts`,
    meaning: 'More clusters are unreachable than maxUnreachable allows.',
    advice: () => 'restore the connections, or raise spec.rollout.maxUnreachable',
    examples: [{ on: [{ kind: 'Cluster', name: 'cluster-1' }], unreachable: 31, total: 120, max: 30 }],
  }),
  RolloutLimit: reason({
    actor: 'none',
    on: sampleOf('Unit'),
    facts: {
      limit: text,
      stage: text.optional(),
      used: number,
      max: number,
      waiting: number,
      unhealthy: texts,
      unhealthyCount: number,
    },
    message: (f) => {
      const sick = f.unhealthyCount === 0 ? '' : `; unhealthy: ${listText(f.unhealthy, f.unhealthyCount)}`
      return `rollout limit reached (${limitText(f)} ${f.used}/${f.max}): ${queued(f.waiting)}${sick}`
    },
    meaning: 'As many clusters as a rollout limit allows are deploying or unavailable.',
    advice: (f) =>
      f.unhealthyCount === 0
        ? `no action needed: clusters start when others are ready; to start more raise ${limitText(f)}`
        : `fix ${listText(f.unhealthy, f.unhealthyCount)}, or pin them: lockstep pin`,
    examples: [
      { on: [unit], limit: 'maxUnavailable', used: 1, max: 1, waiting: 1, unhealthy: [], unhealthyCount: 0 },
    ],
  }),
  DisruptionBudget: reason({
    actor: 'none',
    on: oneOrMore('Budget'),
    facts: {
      state: oneOf('Full', 'Turn', 'Unreadable', 'Entries'),
      waiting: number,
      disrupted: number,
      max: number,
      names: texts,
      next: text.optional(),
      problem: text.optional(),
    },
    message: (f) => {
      const use = `${firstName(f)} ${f.disrupted}/${f.max}${namesText(f.names, f.disrupted)}`
      switch (f.state) {
        case 'Full':
          return `${use} reached: ${queued(f.waiting)}`
        case 'Turn':
          return `${use}: ${f.next} has waited longer and starts first; ${queued(f.waiting)}`
        case 'Unreadable':
          return `${firstName(f)} is invalid (${f.problem}): ${queued(f.waiting)}; correct or delete it`
        case 'Entries':
          return `${firstName(f)} holds the most entries that its status can hold: ${queued(f.waiting)}`
      }
    },
    meaning: 'A DisruptionBudget allows no more disrupted clusters.',
    advice: (f) =>
      f.state === 'Unreadable'
        ? `correct or delete ${firstName(f)}`
        : 'no action needed: clusters start when others are ready; usage: lockstep get disruptionbudgets',
    examples: [
      { on: [budget], state: 'Full', waiting: 2, disrupted: 2, max: 2, names: ['cluster-1', 'cluster-2'] },
    ],
  }),
  InFlightLimit: reason({
    actor: 'none',
    on: oneOrMore('Module'),
    facts: { waiting: number, max: number },
    message: (f) =>
      `${f.max} clusters are deploying or failed, the most that status.rollout.ledger holds: ${queued(f.waiting)}`,
    meaning: 'The status of a Module holds no more deploying or failed clusters.',
    advice: (f) => `fix failed clusters, or ${retry(f)}`,
    examples: [{ on: [module], waiting: 12, max: 4000 }],
  }),
  RolloutInProgress: reason({
    actor: 'none',
    on: oneOrMore('Module'),
    facts: { revision: text, running: text },
    message: (f) =>
      `revision ${f.revision} waits for the rollout of ${f.running} to complete (supersede: Wait)`,
    meaning: 'With supersede: Wait, another rollout must complete first.',
    advice: () =>
      'no action needed: the revision starts afterwards; to start now set spec.rollout.supersede: Replace',
    examples: [{ on: [module], revision: '6f39a1c02b', running: '0d9f11ba70' }],
  }),
  RolledBack: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: { revision: text, failure: text, to: text, ready: number, total: number },
    message: (f) =>
      `${f.revision} ${f.failure}; rolled back to ${f.to} on ${f.ready} of ${countText(f.total, 'cluster')}`,
    meaning: 'The published revision failed on more clusters than maxFailed; the fleet was rolled back.',
    advice: retry,
    examples: [
      {
        on: [module],
        revision: '6f39a1c02b',
        failure: 'failed on 2 of 4 clusters',
        to: '0d9f11ba70',
        ready: 4,
        total: 4,
      },
    ],
  }),
  RolledBackWithDependency: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: { release: text.optional(), to: text, ready: number, total: number },
    message: (f) =>
      `rolled back to ${f.to} with ${firstName(f)}${f.release === undefined ? '' : ` (release ${f.release})`} on ${f.ready} of ${countText(f.total, 'cluster')}`,
    meaning: 'A dependency of the same release was rolled back.',
    advice: () => 'no action needed: the next release rolls forward; publish it, or retry the dependency',
    examples: [
      { on: [{ kind: 'Module', name: 'certs' }], release: '2026.09', to: '0d9f11ba70', ready: 4, total: 4 },
    ],
  }),
  RollbackFailed: reason({
    actor: 'approver',
    on: sampleOf('Unit'),
    facts: { failed: number, names: texts, failure: text.optional() },
    message: (f) =>
      `rollback failed on ${countText(f.failed, 'cluster')}${namesText(f.names, f.failed)}${f.failure ? `: ${f.failure}` : ''}`,
    meaning: 'Clusters that could not be rolled back.',
    advice: (f) => `fix ${listText(f.names, f.failed)}; a rollback is not rolled back again`,
    examples: [
      { on: [unit], failed: 1, names: ['cluster-1'], failure: 'Deployment web/api: 0 of 2 replicas' },
    ],
  }),
  NothingToRollBackTo: reason({
    actor: 'approver',
    on: oneOrMore('Module', 'Object'),
    facts: {
      revision: text.optional(),
      /** Environment of a Pipeline, and the command that promotes another revision. */
      environment: text.optional(),
      command: text.optional(),
    },
    message: (f) =>
      f.environment === undefined
        ? `revision ${f.revision} failed, and no other revision was complete before; the rollout is halted`
        : `${f.environment} has no revision to roll back to: its first promotion failed; promote another: ${f.command}`,
    meaning: 'No other revision was complete before, or its bundle is deleted.',
    advice: (f) => (f.command === undefined ? retry(f) : `promote another revision: ${f.command}`),
    examples: [
      { on: [module], revision: '6f39a1c02b' },
      {
        on: [
          {
            kind: 'Object',
            name: 'podinfo',
            namespace: 'platform',
            object: { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Pipeline' },
          },
        ],
        environment: 'prod',
        command: 'lockstep promote podinfo --to prod',
      },
    ],
  }),
  RollbackTargetUnknown: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: { to: text, known: texts },
    message: (f) => {
      const known = f.known.length === 0 ? 'only the published revision' : listText(f.known)
      return `spec.rollout.undo.to: revision ${f.to} is not in the history; it has ${known}`
    },
    meaning: 'The revision of an undo is not in the history.',
    advice: () => 'undo to a revision of: lockstep rollout history',
    examples: [{ on: [module], to: '6f39a1c02b', known: ['0d9f11ba70'] }],
  }),
  RemovalTooLarge: reason({
    actor: 'approver',
    on: oneOrMore('Module'),
    facts: {
      /** `Module`: more of its clusters than the controller allows. `Hub`: too many units of all Modules. */
      because: oneOf('Module', 'Hub'),
      removals: number,
      /** Clusters: of the Module, or those on which units are removed. */
      total: number,
      /** Removals that have started. */
      begun: number,
      annotation: text.optional(),
      allowance: text.optional(),
      modules: number.optional(),
      namespace: text.optional(),
    },
    message: (f) => {
      const begun = f.begun === 0 ? '' : ` (${f.begun} started)`
      if (f.because === 'Module')
        return `${f.removals} of ${countText(f.total, 'cluster')} to remove at once${begun}; allow once with annotation ${f.annotation}: "${f.allowance}"`
      const units = `${countText(f.removals, 'unit')} of ${countText(f.modules ?? 0, 'Module')}`
      const allow = `lockstep removal allow -n ${f.namespace} --all`
      return `${units} on ${countText(f.total, 'cluster')} would be removed${begun}: ${allow}, or lockstep removal orphan`
    },
    meaning:
      'A change deselects more clusters at once than the controller allows, or more than half of the units of the hub would be removed.',
    advice: (f) =>
      f.because === 'Module'
        ? `correct spec.targets or the labels, or allow the removal once: lockstep removal allow ${firstName(f)}`
        : `allow the removals, which delete the objects: lockstep removal allow -n ${f.namespace} --all; or keep the objects: lockstep removal orphan -n ${f.namespace} --all`,
    examples: [
      {
        on: [module],
        because: 'Module',
        removals: 40,
        total: 60,
        begun: 0,
        annotation: 'lockstep.dev/allow-removal',
        allowance: '7',
      },
      {
        on: [module],
        because: 'Hub',
        removals: 480,
        modules: 12,
        total: 40,
        begun: 0,
        namespace: 'platform',
      },
    ],
  }),
  DependentsRemain: reason({
    actor: 'approver',
    on: oneOrMore('Unit'),
    facts: { module: text },
    message: (f) =>
      `waiting for dependent ${named(f)} to be removed: it depends on ${f.module}; delete it or the dependency`,
    setMessage: (f) =>
      f.on[0]?.object?.kind === 'ClusterResourceSet'
        ? `waiting for dependent ${named(f)} to be removed; delete it, or change its lockstep.dev/depends-on`
        : undefined,
    meaning: 'Units that were deployed with this one as a dependency are removed first.',
    advice: (f) => `delete ${firstName(f)}, or remove ${f.module} from its spec.dependsOn`,
    examples: [
      { on: [{ kind: 'Unit', name: 'shop', namespace: 'platform', cluster: 'cluster-2' }], module: 'certs' },
    ],
  }),
  ProgressDeadlineExceeded: reason({
    actor: 'approver',
    on: oneOrMore('Unit'),
    facts: {
      seconds: number,
      limit: number,
      lacks: text.optional(),
      /** Absent: the unit is deployed. */
      action: oneOf('Remove').optional(),
    },
    message: (f) => {
      const [doing, field] = f.action === undefined ? ['deploying', ''] : ['removing', 'removal.']
      const lacks = f.lacks === undefined ? '' : `: ${f.lacks}`
      return `${doing} for ${f.seconds}s, ${field}progressDeadlineSeconds ${f.limit}${lacks}`
    },
    meaning: 'A unit was not ready, or not removed, within progressDeadlineSeconds.',
    advice: (f) =>
      f.action === undefined
        ? `make ${unitArgument(f)} ready, then run: lockstep rollout retry ${moduleArgument(f)}`
        : `resolve the cause: lockstep why ${unitArgument(f)}`,
    examples: [{ on: [unit], seconds: 1801, limit: 1800, lacks: 'Deployment web/api: 0 of 2 replicas' }],
  }),
  PreviousModuleRemoving: reason({
    actor: 'none',
    on: oneOrMore('Unit'),
    facts: { kind: text, objects: number, names: texts, blocker: text.optional() },
    message: (f) => {
      const [first] = f.on
      const left =
        f.objects === 0
          ? 'no objects remain'
          : `${countText(f.objects, 'object')} ${f.objects === 1 ? 'remains' : 'remain'}${namesText(f.names, f.objects)}`
      return `waiting for the previous ${f.kind} ${first?.name} to be removed from ${first?.cluster}: ${left}${f.blocker ? `; ${f.blocker}` : ''}`
    },
    meaning: 'A Module of the same name was deleted, and its objects are still being removed.',
    advice: (f) =>
      f.blocker === undefined
        ? 'no action needed: the Module starts when the last object is deleted'
        : `resolve: ${f.blocker}`,
    examples: [{ on: [unit], kind: 'Module', objects: 1, names: ['ConfigMap app/a'] }],
  }),
} as const
