/** How a revision gets into an environment: of a Pipeline's environment, and, as it was then, of a Promotion. */
import { z } from 'zod'
import { windows } from '../module/rolloutspec.ts'
import { dnsName, goDuration, rules, seconds } from '../schemarules.ts'
import { edits } from './edits.ts'

const cel = (description: string) => z.string().min(1).max(16_384).describe(description)

const secretRef = z.object({ name: dnsName.describe('Name of the Secret.') })

const url = (description: string) => z.string().min(1).max(2048).describe(description)

const branch = z
  .string()
  .min(1)
  .max(255)
  .default('main')
  .describe('Branch from which the environment is deployed.')

const pullRequest = z
  .object({
    provider: z.enum(['github', 'gitlab', 'gitea']).describe('API of the Git host. `gitea`: also Forgejo.'),
    url: url('URL of the repository, https://host/owner/repository without credentials.'),
    apiUrl: url(
      'URL of the API. By default https://api.github.com, or /api/v3, /api/v4 or /api/v1 of the host.',
    ).optional(),
    baseBranch: branch,
    secretRef: secretRef.describe(
      'Secret with `token`, or `username` and `password`; `ca.crt` if the host has its own CA.',
    ),
    autoMerge: z
      .boolean()
      .default(false)
      .describe('Whether Lockstep merges the pull request when the Git host allows it.'),
    mergeMethod: z.enum(['merge', 'squash', 'rebase']).default('merge').describe('Method of the merge.'),
    deleteBranch: z
      .boolean()
      .default(true)
      .describe('Whether the branch is deleted after the pull request ends.'),
    onConflict: z
      .enum(['Rebuild', 'Wait'])
      .default('Rebuild')
      .describe(
        'Handling of a merge conflict with the base branch. `Rebuild`: the change is made again on the new base. `Wait`: a user resolves the conflict.',
      ),
  })
  .describe('Promotion by pull request, one a revision.')

const push = z
  .object({
    url: url('URL of the repository, https://host/path without credentials.'),
    branch,
    secretRef: secretRef.describe(
      'Secret with `username` and `password`, or `bearerToken`; `ca.crt` if the host has its own CA.',
    ),
  })
  .describe('Promotion by a commit to the branch.')

const module = z
  .object({
    release: z
      .enum(['Follow', 'Keep'])
      .default('Follow')
      .describe(
        'Handling of `spec.release`. `Follow`: takes the release of the source, if both have one. `Keep`: unchanged.',
      ),
  })
  .describe('Promotion by a change of the version in the target Modules.')

const notification = z
  .object({
    url: url(
      'URL for a CloudEvent by POST; if omitted, only the Kubernetes Event Promote is created.',
    ).optional(),
    secretRef: secretRef
      .optional()
      .describe('Secret with `hmac-key`, which signs the body in X-Signature, and `ca.crt`.'),
    // A leader must not wait longer: a later answer could arrive under another leader (`REQUEST_MS` of actionlease.ts).
    timeout: goDuration('1s', '10s', 'Timeout of one request,').default('10s'),
  })
  .describe(
    'Promotion by an external system, which is notified. All deliveries of one promotion have the same ID.',
  )

const manual = z.object({}).describe('Manual promotion.')

const anyObject = (description: string) => z.unknown().meta({ anyObject: true }).describe(description)

const check = z
  .object({
    name: z
      .string()
      .min(1)
      .max(32)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .describe('Name of the check.'),
    readyExpr: cel(
      'CEL expression over `targets`, a list of {object, namespace, cluster}, and `revision`.',
    ).optional(),
    job: z
      .object({ template: anyObject('Metadata and spec of the Job.') })
      .optional()
      .describe('Job in the namespace of the Pipeline, once for each promotion.'),
    metric: z
      .object({
        url: url(
          'URL of a Prometheus server, such as https://prometheus.example.com; http:// only without a Secret.',
        ),
        query: z.string().min(1).max(16_384).describe('Instant query that returns one sample.'),
        expr: cel('CEL expression over `value`, a double; the check passes while it is true.'),
        secretRef: secretRef
          .optional()
          .describe(
            'Secret with `bearerToken`, or `username` and `password`; `ca.crt` if the server has its own CA.',
          ),
      })
      .optional()
      .describe('Query of a metric.'),
  })
  .meta({ exactlyOne: ['readyExpr', 'job', 'metric'] })

const verify = z
  .object({
    soakSeconds: seconds(0, 'Time all targets and checks must stay healthy.').default(300),
    timeoutSeconds: seconds(1, 'Timeout of the verification.').default(1800),
    checks: z
      .array(check)
      .max(16)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe('Checks that must pass.'),
  })
  .describe('Verification after all targets are at the revision, before the promotion succeeds.')

const retryPolicy = z
  .object({
    attempts: z.int32().min(1).max(100).default(5).describe('Attempts of each phase.'),
    initial: goDuration('100ms', '1h', 'Delay before the second attempt,').default('10s'),
    factor: z
      .number()
      .min(1)
      .max(10)
      .default(2)
      .describe('Factor by which each delay is longer than the one before.'),
    max: goDuration('100ms', '24h', 'Longest delay between two attempts,').default('10m'),
    jitter: z.number().min(0).max(1).default(0.2).describe('Random share of the delay, added or subtracted.'),
  })
  .describe('Retries after temporary failures.')

export const PROMOTION_STRATEGIES = {
  'pull-request': 'pullRequest',
  push: 'push',
  module: 'module',
  notification: 'notification',
  manual: 'manual',
} as const

export type StrategyName = keyof typeof PROMOTION_STRATEGIES

/** Exactly the block of the strategy. `manual` and `module` may omit it, since they have no required field. */
const blockRules = Object.entries(PROMOTION_STRATEGIES).map(([strategy, block]) => ({
  rule:
    block === 'manual' || block === 'module'
      ? `self.strategy == '${strategy}' || !has(self.${block})`
      : `(self.strategy == '${strategy}') == has(self.${block})`,
  message: `${block} must be set with strategy ${strategy} and no other`,
}))

export const promotionSettings = z
  .object({
    strategy: z
      .enum(Object.keys(PROMOTION_STRATEGIES) as [StrategyName, ...StrategyName[]])
      .describe('Strategy of the promotion.'),
    pullRequest: pullRequest.optional(),
    push: push.optional(),
    module: module.optional(),
    notification: notification.optional(),
    manual: manual.optional(),
    approval: z
      .enum(['None', 'Required'])
      .default('None')
      .describe(
        'Whether the promotion needs an Approval. `Required`: it begins after an Approval of this promotion.',
      ),
    onNewer: z
      .enum(['Close', 'Update'])
      .default('Close')
      .describe(
        'Handling of an open pull request when a newer revision follows. `Close`: it is closed. `Update`: it continues with the newer revision.',
      ),
    rollback: z
      .enum(['Off', 'OnFailure'])
      .default('Off')
      .describe(
        'Rollback of failed promotions. `OnFailure`: if a deployed revision fails, the last successful revision is promoted.',
      ),
    edits: edits.optional(),
    windows,
    verify: verify.optional(),
    retryPolicy: retryPolicy.prefault({}).describe('Retries after temporary failures.'),
    convergeDeadlineSeconds: seconds(
      1,
      'Time the targets may take to reach the revision. The timer stops while a target is unreachable or paused.',
    ).default(1800),
  })
  .meta(
    rules(
      ...blockRules,
      {
        rule: "!has(self.edits) || self.strategy in ['pull-request', 'push']",
        message: 'requires strategy pull-request or push',
        fieldPath: '.edits',
      },
      {
        rule: "!has(self.onNewer) || self.onNewer != 'Update' || self.strategy == 'pull-request'",
        message: 'Update requires strategy pull-request',
        fieldPath: '.onNewer',
      },
    ),
  )

export type PromotionSettings = z.output<typeof promotionSettings>
export type RetryPolicy = z.output<typeof retryPolicy>
export type PromotionCheck = z.output<typeof check>
