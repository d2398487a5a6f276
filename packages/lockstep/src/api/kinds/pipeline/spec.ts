import { z } from 'zod'
import { promotionSettings } from '../promotion/promotionsettings.ts'
import { dnsLabel, dnsName, rules, seconds, serviceAccountName } from '../schemarules.ts'

const target = z.object({
  namespace: dnsLabel.describe('Namespace of the object that `appRef` names.'),
  clusterRef: z
    .object({ name: dnsName.describe('Name of the cluster.') })
    .optional()
    .describe('Cluster in the namespace of this Pipeline; the hub if omitted.'),
})

/** Annotation `lockstep.dev/request.<name>`: the part of a key after its prefix has at most 63 characters. */
const environmentName = z
  .string()
  .min(1)
  .max(55)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

const environment = z.object({
  name: environmentName.describe('Name of the environment.'),
  from: z
    .array(environmentName)
    .min(1)
    .max(16)
    .optional()
    .meta({ listType: 'set' })
    .describe(
      'Environments from which revisions are promoted, after they settled in all of them; the environment before if omitted.',
    ),
  targets: z.array(target).min(1).max(1000).describe('Objects that must be at the revision.'),
  readiness: z
    .object({
      minReady: z
        .union([z.literal('All'), z.int32().min(1)])
        .meta({ intOrString: '^(All|[1-9][0-9]*)$', minimum: 1 })
        .default('All')
        .describe(
          'Number of targets that must be ready, or `All`. Other targets may be unreachable, but not unready.',
        ),
      soakSeconds: seconds(0, 'Time a revision must stay ready before it is settled.').default(0),
    })
    .prefault({})
    .describe('Conditions under which a revision is settled.'),
  promotion: promotionSettings
    .optional()
    .describe('Way of promotion into this environment; if omitted, the environment is only observed.'),
})

export const pipelineSpec = z
  .object({
    identity: dnsLabel
      .describe(
        'Identity in names and keys of all promotions, unique among Pipelines. It survives moves and restores.',
      )
      .meta(rules({ rule: 'self == oldSelf', message: 'is immutable: it identifies promotions' })),
    serviceAccountName,
    appRef: z
      .object({
        apiVersion: z.string().min(1).max(317).describe('API version of the object.'),
        kind: z.string().min(1).max(63).describe('Kind of the object.'),
        name: z.string().min(1).max(253).describe('Name of the object.'),
      })
      .describe('Object that has the revision, in the namespace of each target.'),
    revisionExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL expression over `object` that returns its revision; by default a rule of its kind.'),
    revisionsFrom: z
      .enum(['Targets', 'TargetsAndEvents'])
      .default('Targets')
      .describe(
        'Origin of the observed revisions. `Targets`: revisions are read from targets, and events only start a read. `TargetsAndEvents`: an event also counts where the hub cannot reach a target.',
      ),
    webhook: z
      .object({
        secretRef: z
          .object({ name: dnsName.describe('Name of the Secret.') })
          .describe(
            'Secret with `hmac-key`, and `hmac-key-previous` during a key rotation. Senders sign events with it.',
          ),
      })
      .optional()
      .describe('Settings of incoming events.'),
    deletionPolicy: z
      .enum(['Orphan', 'Close'])
      .default('Orphan')
      .describe(
        'Handling of open pull requests when the Pipeline or a Promotion is deleted. `Orphan`: they stay open. `Close`: they are closed first.',
      ),
    environments: z
      .array(environment)
      .min(1)
      .max(32)
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe('Environments, in the order of promotion.'),
  })
  .meta(
    rules(
      {
        rule: '!has(self.environments[0].from)',
        message: 'the first environment must not set from',
        fieldPath: '.environments',
      },
      {
        rule: 'self.environments.all(e, !has(e.from) || e.from.all(f, f != e.name && self.environments.exists(o, o.name == f)))',
        message: 'from must name other environments of this Pipeline',
        fieldPath: '.environments',
      },
      {
        rule: "self.environments.all(e, !has(e.promotion) || e.promotion.strategy != 'module' || self.appRef.kind in ['Module', 'BootstrapModule'])",
        message: 'strategy module requires an appRef of kind Module or BootstrapModule',
        fieldPath: '.environments',
      },
    ),
  )

export type PipelineSpec = z.output<typeof pipelineSpec>
export type Environment = z.output<typeof environment>
