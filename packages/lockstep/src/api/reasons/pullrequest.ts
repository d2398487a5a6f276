/** Reasons of promotions in Git: pull requests, branches and commits. */

import { countText, nameOf } from './nameof.ts'
import { number, oneOf, reason, text } from './reason.ts'
import { anyNumber, oneOrMore, type WaitRefOf } from './waitref.ts'

const pull: WaitRefOf<'External'> = { kind: 'External', name: 'https://github.com/o/r/pull/7' }
const promotion: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'podinfo-prod-7-1f2e3d4c',
  namespace: 'platform',
  object: { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Promotion' },
}

const urlOf = (on: readonly { readonly name: string }[]): string => on[0]?.name ?? ''
const at = (f: { readonly on: readonly { readonly name: string }[] }): string => `: ${urlOf(f.on)}`
const AGAIN = 'lockstep promote PIPELINE --to ENVIRONMENT'

export const pullRequestReasons = {
  AwaitingMerge: reason({
    actor: 'approver',
    on: oneOrMore('External'),
    facts: { number, because: oneOf('Manual', 'External') },
    message: (f) =>
      f.because === 'Manual'
        ? `pull request #${f.number} is waiting for a merge${at(f)}`
        : `pull request #${f.number} was opened outside Lockstep and is waiting for a merge${at(f)}`,
    meaning: 'A pull request is open, and users merge it: promotion.pullRequest.autoMerge is not set.',
    advice: (f) => `merge or close pull request #${f.number}: ${urlOf(f.on)}`,
    examples: [{ on: [pull], number: 7, because: 'Manual' }],
  }),
  MergeBlocked: reason({
    actor: 'none',
    on: oneOrMore('External', 'Hold', 'Object', 'Time', 'Cluster', 'Approval'),
    facts: {
      number: number.optional(),
      because: oneOf('ExternalConflict', 'Conflict', 'BaseRewritten', 'Held', 'NotMergeable', 'Rejected'),
      cause: text.optional(),
      error: text.optional(),
    },
    message: (f) => {
      const subject = f.number === undefined ? 'merge' : `pull request #${f.number}`
      switch (f.because) {
        case 'ExternalConflict':
          return `${subject} has a conflict, and its branch is external; close it${at(f)}`
        case 'Conflict':
          return `${subject} has a conflict with its base branch${at(f)}`
        case 'BaseRewritten':
          return `${subject} would restore commits that its base branch dropped${at(f)}`
        case 'Held':
          return `${subject} is not merged yet: ${f.cause}${at(f)}`
        case 'NotMergeable':
          return `${subject} is not mergeable yet: checks or reviews are missing${at(f)}`
        case 'Rejected':
          return `${subject} is blocked by ${urlOf(f.on)}: ${f.error}`
      }
    },
    meaning: 'A pull request cannot be merged yet: a conflict, checks, reviews, a window or a Hold.',
    advice: (f) => {
      switch (f.because) {
        case 'ExternalConflict':
          return `close pull request #${f.number}, then promote again: ${AGAIN}`
        case 'Conflict':
        case 'BaseRewritten':
          return `resolve the conflict in pull request #${f.number}, or close it: ${urlOf(f.on)}`
        case 'Held':
          return `no action needed: the merge follows when ${f.cause} ends`
        default:
          return 'no action needed: the merge is tried once a minute until checks and reviews pass'
      }
    },
    examples: [
      { on: [pull], number: 7, because: 'NotMergeable' },
      { on: [pull], number: 7, because: 'Held', cause: 'WindowClosed' },
    ],
  }),
  BranchModified: reason({
    actor: 'approver',
    on: oneOrMore('External'),
    facts: {
      because: oneOf('NoPullRequest', 'ExternalCommits', 'Rewritten'),
      branch: text.optional(),
      number: number.optional(),
      commits: number.optional(),
    },
    message: (f) => {
      const commits = f.commits === undefined ? 'external commits' : countText(f.commits, 'external commit')
      switch (f.because) {
        case 'NoPullRequest':
          return `branch ${f.branch} has ${commits} and no pull request; open one, or delete the branch`
        case 'ExternalCommits':
          return `branch of pull request #${f.number} has ${commits}; merge or close it${at(f)}`
        case 'Rewritten':
          return `branch of pull request #${f.number} has other content than promoted; merge or close it${at(f)}`
      }
    },
    meaning: 'The branch of a promotion has commits of other authors. They are not overwritten.',
    advice: (f) =>
      f.because === 'NoPullRequest'
        ? `open a pull request of branch ${f.branch}, or delete the branch`
        : `merge or close pull request #${f.number}: ${urlOf(f.on)}`,
    examples: [{ on: [pull], because: 'ExternalCommits', number: 7, commits: 2 }],
  }),
  BranchConflict: reason({
    actor: 'owner',
    on: oneOrMore('External'),
    facts: { branch: text },
    message: (f) => `branch ${f.branch} exists without a commit of this promotion; delete it`,
    meaning: 'A branch with the name of the promotion exists, and has no commit of the promotion.',
    advice: (f) => `delete branch ${f.branch}, then promote again: ${AGAIN}`,
    examples: [{ on: [{ kind: 'External', name: 'o/r' }], branch: 'lockstep/podinfo/prod/7-1f2e3d4c' }],
  }),
  RevertedInGit: reason({
    actor: 'approver',
    on: anyNumber('External', 'Object'),
    facts: {
      revision: text,
      because: oneOf('Base', 'Branch', 'Module', 'Previous'),
      promotion: text.optional(),
      branch: text.optional(),
      environment: text.optional(),
      pipeline: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Base':
          return `${f.revision} was reverted in the base branch; it is not promoted again`
        case 'Branch':
          return `${f.revision} was reverted in the branch; it is not promoted again`
        case 'Module':
          return `${f.revision} was reverted in ${f.on[0] ? nameOf(f.on[0]) : 'a Module'}; it is not promoted again`
        case 'Previous':
          return `${f.revision} of Promotion ${f.promotion} was reverted in branch ${f.branch}`
      }
    },
    meaning:
      'The change of a promotion was reverted, or the last successful revision is no longer in the base branch.',
    advice: (f) =>
      `to promote anyway: lockstep promote ${f.pipeline ?? 'PIPELINE'} --to ${f.environment ?? 'ENVIRONMENT'}`,
    examples: [
      { on: [], because: 'Base', revision: '6.0.1' },
      {
        on: [promotion],
        because: 'Previous',
        revision: '6.0.0',
        promotion: 'podinfo-prod-6-5b4a3c2d',
        branch: 'main',
        pipeline: 'podinfo',
        environment: 'prod',
      },
    ],
  }),
  ClosingPullRequests: reason({
    actor: 'none',
    on: oneOrMore('Object', 'Time'),
    facts: {
      because: oneOf('Closing', 'NotListed', 'MayAppear'),
      pipeline: text,
      at: text.optional(),
    },
    message: (f) => {
      const keep = `to keep them open, set spec.deletionPolicy: Orphan on Pipeline ${f.pipeline}`
      switch (f.because) {
        case 'Closing':
          return `closing pull requests before deletion; ${keep}`
        case 'NotListed':
          return `waiting until lists of the host have the closed pull requests; ${keep}`
        case 'MayAppear':
          return `waiting until ${f.at} for pull requests that lists may lack; ${keep}`
      }
    },
    meaning:
      'A Pipeline or Promotion is deleted with deletionPolicy Close, and its pull requests are closed first.',
    advice: (f) =>
      `no action needed: it ends when the host lists them as closed; to keep them open, set spec.deletionPolicy: Orphan on Pipeline ${f.pipeline}`,
    examples: [{ on: [promotion], because: 'Closing', pipeline: 'platform/podinfo' }],
  }),
  HostInconsistent: reason({
    actor: 'none',
    on: oneOrMore('External', 'Object'),
    facts: {
      because: oneOf('MayBeListed', 'Contradiction'),
      branch: text.optional(),
      seconds: number.optional(),
      request: text.optional(),
      error: text.optional(),
    },
    message: (f) =>
      f.because === 'MayBeListed'
        ? `pull request of branch ${f.branch} may be missing in lists of its host: waiting ${f.seconds}s before it is opened`
        : `answers of ${urlOf(f.on)} contradict each other: ${f.request}: ${f.error}`,
    meaning:
      'A Git host reports that a pull request exists, or may have one that its lists do not contain yet.',
    advice: () => 'no action needed: the host is read every two seconds, later every minute',
    examples: [
      { on: [promotion], because: 'MayBeListed', branch: 'lockstep/podinfo/prod/7-1f2e3d4c', seconds: 15 },
    ],
  }),
} as const
