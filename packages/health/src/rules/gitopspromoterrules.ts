/** GitOps Promoter (promoter.argoproj.io). All its kinds have a `Ready` condition that says what was reconciled. */
import { absent, type KindRule, type KindRules, on, otherwise, stale, when } from './kindrule.ts'

interface PromoterWords {
  /** What is said before there is a status: `Initializing commit status`. */
  readonly initial: string
  /** What has to see the change. */
  readonly observer: string
  /** `Commit status reconciliation`: fails. */
  readonly act: string
  readonly unknown: string
  readonly missing: string
}

const promoter = (kind: string, w: PromoterWords, ...rules: readonly KindRule[]): KindRules => ({
  group: 'promoter.argoproj.io',
  kinds: [kind],
  rules: [
    absent('status', 'Progressing', `Initializing ${w.initial}`),
    on('!Ready', 'Progressing', w.missing),
    stale(`Waiting for ${w.observer} spec update to be observed`),
    on('Ready=False/ReconciliationError', 'Degraded', `${w.act} failed: {condition.message}`),
    on('Ready=False', 'Degraded', `${w.act} failed ({condition.reason}): {condition.message}`),
    on('Ready=Unknown', 'Progressing', `${w.unknown} unknown ({condition.reason}): {condition.message}`),
    ...rules,
  ],
})

/** Of a kind that calls itself in words. */
const worded = (name: string, act = 'reconciliation'): PromoterWords => {
  const title = name[0]!.toUpperCase() + name.slice(1)
  return {
    initial: name,
    observer: name,
    act: `${title} ${act}`,
    unknown: `${title} readiness`,
    missing: `${title} is not ready yet`,
  }
}

/** Of a kind that is called by its name. */
const named = (kind: string, name: string, act: string, unknown = `${act} readiness`): PromoterWords => ({
  initial: name,
  observer: kind,
  act,
  unknown,
  missing: `${kind} Ready condition is missing`,
})

const BRANCHES = (phase: string): string =>
  `{status.environments.filter(e, e.phase == '${phase}').map(e, e.branch).join(', ')}`

/** Kinds that ask a question of each environment. */
const asked = (title: string, reconciled: string): KindRule[] => [
  when(
    "status.?environments.orValue([]).exists(e, e.?phase.orValue('') == 'failure')",
    'Degraded',
    `${title} failed for branch(es): ${BRANCHES('failure')}`,
  ),
  when(
    "status.?environments.orValue([]).exists(e, e.?phase.orValue('') == 'pending')",
    'Progressing',
    `${title} pending for branch(es): ${BRANCHES('pending')}`,
  ),
  when(
    'status.?environments.orValue([]).size() > 0',
    'Healthy',
    `${title} passed for {status.environments.size()} environment(s)`,
  ),
  otherwise('Healthy', `${reconciled} reconciled`),
]

const count = (phase: string, of: string): string =>
  `{${of}.?commitStatuses.orValue([]).filter(c, c.phase == '${phase}').size()} ${phase === 'success' ? 'successful' : phase === 'failure' ? 'failed' : phase}`

const STATUSES = (of: string): string =>
  `${count('pending', of)}, ${count('success', of)}, ${count('failure', of)}.`

const SHORT = (path: string): string => `{${path}.substring(0, [7, size(${path})].min())}`

export const gitopsPromoterRules: readonly KindRules[] = [
  promoter(
    'ArgoCDCommitStatus',
    { ...worded('Argo CD commit status'), act: 'Argo CD commit status reconciliation' },
    absent('status.applicationsSelected', 'Degraded', 'Argo CD commit status has no applications configured'),
    otherwise(
      'Healthy',
      'Argo CD commit status is healthy and is tracking {status.applicationsSelected.size()} applications',
    ),
  ),
  promoter(
    'ChangeTransferPolicy',
    worded('change transfer policy'),
    absent('status.active.dry.sha', 'Progressing', 'The active commit DRY SHA is missing or empty.'),
    absent('status.proposed.dry.sha', 'Progressing', 'The proposed commit DRY SHA is missing or empty.'),
    when(
      'status.active.dry.sha != status.proposed.dry.sha',
      'Progressing',
      `Promotion in progress from '${SHORT('status.active.dry.sha')}' to '${SHORT('status.proposed.dry.sha')}': ${STATUSES('status.proposed')}`,
    ),
    when(
      "status.active.?commitStatuses.orValue([]).exists(c, c.phase != 'success')",
      'Healthy',
      `Environment is up-to-date, but there are non-successful active commit statuses: ${STATUSES('status.active')}`,
    ),
    otherwise('Healthy', `Environment is up-to-date on commit ${SHORT('status.active.dry.sha')}.`),
  ),
  promoter(
    'CommitStatus',
    worded('commit status'),
    otherwise('Healthy', 'Commit status for commit {status.sha} reports {status.phase}'),
  ),
  promoter('PullRequest', worded('pull request'), otherwise('Healthy', 'Pull request is {status.state}')),
  promoter(
    'ClusterScmProvider',
    named(
      'ClusterScmProvider',
      'cluster SCM provider',
      'Cluster SCM provider validation',
      'Cluster SCM provider readiness',
    ),
    otherwise('Healthy', 'Cluster SCM provider is ready'),
  ),
  promoter(
    'ScmProvider',
    named('ScmProvider', 'SCM provider', 'SCM provider validation', 'SCM provider readiness'),
    otherwise('Healthy', 'SCM provider is ready'),
  ),
  promoter(
    'GitRepository',
    named('GitRepository', 'git repository', 'Git repository validation', 'Git repository readiness'),
    otherwise('Healthy', 'Git repository is ready'),
  ),
  promoter(
    'GitCommitStatus',
    {
      ...named(
        'GitCommitStatus',
        'git commit validation',
        'Git commit validation',
        'Git commit validation status',
      ),
    },
    ...asked('Git commit validation', 'Git commit validation'),
  ),
  promoter(
    'TimedCommitStatus',
    named('TimedCommitStatus', 'timed commit gate', 'Timed commit gate', 'Timed commit gate status'),
    ...asked('Timed commit gate', 'Timed commit gate'),
  ),
  promoter(
    'WebRequestCommitStatus',
    named(
      'WebRequestCommitStatus',
      'web request commit validation',
      'Web request commit validation',
      'Web request commit validation status',
    ),
    ...asked('Web request validation', 'Web request commit validation'),
  ),
  promoter(
    'PromotionStrategy',
    worded('promotion strategy'),
    absent('status.environments', 'Degraded', 'Promotion strategy has no environments configured'),
    when(
      "status.environments.exists(e, e.?proposed.?dry.?sha.orValue('') == '')",
      'Progressing',
      "The proposed commit DRY SHA is missing or empty in environment '{status.environments.filter(e, e.?proposed.?dry.?sha.orValue('') == '')[0].branch}'.",
    ),
    when(
      'status.environments.exists(e, e.proposed.dry.sha != status.environments[0].proposed.dry.sha)',
      'Progressing',
      'Not all environments have the same proposed commit SHA. This likely means the hydrator has not run for all environments yet.',
    ),
    when(
      "status.environments.exists(e, e.?active.?dry.?sha.orValue('') != e.proposed.dry.sha)",
      'Progressing',
      "Promotion in progress for environment '{status.environments.filter(e, e.?active.?dry.?sha.orValue('') != e.proposed.dry.sha)[0].branch}'",
    ),
    otherwise(
      'Healthy',
      `All environments are up-to-date on commit '${SHORT('status.environments[0].proposed.dry.sha')}'.`,
    ),
  ),
]
