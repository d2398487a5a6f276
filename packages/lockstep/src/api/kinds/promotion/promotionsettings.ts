/** How a revision gets into an environment: of a Pipeline's environment, and, as it was then, of a Promotion. */
import { z } from 'zod'
import { windows } from '../module/rolloutspec.ts'
import { dnsName, goDuration, rules, seconds } from '../schemarules.ts'
import { edits } from './edits.ts'

const cel = (description: string) => z.string().min(1).max(16_384).describe(description)

const secretRef = z.object({ name: dnsName })

const url = (description: string) => z.string().min(1).max(2048).describe(description)

const branch = z
  .string()
  .min(1)
  .max(255)
  .default('main')
  .describe('The branch that the environment is made from.')

const pullRequest = z
  .object({
    provider: z.enum(['github', 'gitlab', 'gitea']).describe('Whose API it is; gitea: also Forgejo.'),
    url: url('https://host/owner/repository, without credentials.'),
    apiUrl: url(
      'Where its API is; absent: as the provider has it: api.github.com, /api/v3, /api/v4, /api/v1.',
    ).optional(),
    baseBranch: branch,
    secretRef: secretRef.describe('token, or username and password; ca.crt where the host has its own.'),
    autoMerge: z.boolean().default(false).describe('Merge it once the host lets it be merged.'),
    mergeMethod: z.enum(['merge', 'squash', 'rebase']).default('merge'),
    deleteBranch: z.boolean().default(true).describe('Once it is merged, or has ended otherwise.'),
    onConflict: z
      .enum(['Rebuild', 'Wait'])
      .default('Rebuild')
      .describe(
        'The base has moved so that it cannot be merged. Rebuild: the same change is made on the new base. Wait: for people.',
      ),
  })
  .describe('One pull request a revision.')

const push = z
  .object({
    url: url('https://host/path, without credentials.'),
    branch,
    secretRef: secretRef.describe('username and password, or bearerToken; ca.crt.'),
  })
  .describe('A commit onto the branch itself.')

const module = z
  .object({
    release: z
      .enum(['Follow', 'Keep'])
      .default('Follow')
      .describe(
        'Follow: spec.release becomes that of the source, where both have one. Keep: it is left alone.',
      ),
  })
  .describe('The version in the spec of the Modules that are the targets.')

const notification = z
  .object({
    url: url(
      'Where a CloudEvent is sent by POST; absent: only the Event Promote of Kubernetes is made.',
    ).optional(),
    secretRef: secretRef.optional().describe('hmac-key: the body is signed with it, in X-Signature; ca.crt.'),
    // More than that nobody who leads may wait: what arrives later could arrive when another one leads (`REQUEST_MS` of actionlease.ts).
    timeout: goDuration('1s', '10s', 'For an answer.').default('10s'),
  })
  .describe('Somebody else does it: the same id in all deliveries of one promotion.')

const manual = z.object({}).describe('People do it; it is waited for.')

const anyObject = (description: string) => z.unknown().meta({ anyObject: true }).describe(description)

const check = z
  .object({
    name: z
      .string()
      .min(1)
      .max(32)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
    readyExpr: cel('CEL over targets, a list of {object, namespace, cluster}, and revision.').optional(),
    job: z
      .object({ template: anyObject('metadata and spec of a Job.') })
      .optional()
      .describe('A Job in the namespace of the pipeline, once for each promotion.'),
    metric: z
      .object({
        url: url(
          'Of a Prometheus, such as https://prometheus.example.com; http:// where no Secret is named.',
        ),
        query: z.string().min(1).max(16_384).describe('An instant query with one sample.'),
        expr: cel('CEL over value, a double: true is well.'),
        secretRef: secretRef.optional().describe('bearerToken, or username and password; ca.crt.'),
      })
      .optional(),
  })
  .meta({ exactlyOne: ['readyExpr', 'job', 'metric'] })

const verify = z
  .object({
    soakSeconds: seconds(0, 'It has to stay well for so long.').default(300),
    timeoutSeconds: seconds(1, 'What has not become well by then has failed.').default(1800),
    checks: z
      .array(check)
      .max(16)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] }),
  })
  .describe('Once all targets are at the revision, and before it counts as promoted.')

const retryPolicy = z
  .object({
    attempts: z.int32().min(1).max(100).default(5).describe('Of each phase.'),
    initial: goDuration('100ms', '1h', 'Before the second.').default('10s'),
    factor: z.number().min(1).max(10).default(2),
    max: goDuration('100ms', '24h', 'Between two.').default('10m'),
    jitter: z.number().min(0).max(1).default(0.2).describe('A share of the delay, more or less.'),
  })
  .describe('What fails for a reason that may pass is tried again.')

export const PROMOTION_STRATEGIES = {
  'pull-request': 'pullRequest',
  push: 'push',
  module: 'module',
  notification: 'notification',
  manual: 'manual',
} as const

export type StrategyName = keyof typeof PROMOTION_STRATEGIES

/** Exactly the block of the strategy; `manual` and `module` may leave theirs out, they have nothing that must be said. */
const blockRules = Object.entries(PROMOTION_STRATEGIES).map(([strategy, block]) => ({
  rule:
    block === 'manual' || block === 'module'
      ? `self.strategy == '${strategy}' || !has(self.${block})`
      : `(self.strategy == '${strategy}') == has(self.${block})`,
  message: `${block} is the block of strategy ${strategy}: each strategy has exactly its own`,
}))

export const promotionSettings = z
  .object({
    strategy: z.enum(Object.keys(PROMOTION_STRATEGIES) as [StrategyName, ...StrategyName[]]),
    pullRequest: pullRequest.optional(),
    push: push.optional(),
    module: module.optional(),
    notification: notification.optional(),
    manual: manual.optional(),
    approval: z
      .enum(['None', 'Required'])
      .default('None')
      .describe('Required: it begins with an Approval of this very promotion.'),
    onNewer: z
      .enum(['Close', 'Update'])
      .default('Close')
      .describe(
        'Another revision follows while one is open. Close: its pull request is closed. Update: it goes on with the other.',
      ),
    rollback: z
      .enum(['Off', 'OnFailure'])
      .default('Off')
      .describe('OnFailure: what fails once it is there is followed by the last revision that succeeded.'),
    edits: edits.optional(),
    windows,
    verify: verify.optional(),
    retryPolicy: retryPolicy.prefault({}),
    convergeDeadlineSeconds: seconds(
      1,
      'So long the targets may take to be at the revision. It stands still while one cannot be read, or is held.',
    ).default(1800),
  })
  .meta(
    rules(
      ...blockRules,
      {
        rule: "!has(self.edits) || self.strategy in ['pull-request', 'push']",
        message: 'are for strategies pull-request and push',
        fieldPath: '.edits',
      },
      {
        rule: "!has(self.onNewer) || self.onNewer != 'Update' || self.strategy == 'pull-request'",
        message: 'Update is for strategy pull-request',
        fieldPath: '.onNewer',
      },
    ),
  )

export type PromotionSettings = z.output<typeof promotionSettings>
export type RetryPolicy = z.output<typeof retryPolicy>
export type PromotionCheck = z.output<typeof check>
