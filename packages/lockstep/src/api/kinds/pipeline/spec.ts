import { z } from 'zod'
import { promotionSettings } from '../promotion/promotionsettings.ts'
import { dnsLabel, dnsName, rules, seconds } from '../schemarules.ts'

const target = z.object({
  namespace: dnsLabel.describe('Where the object of appRef is.'),
  clusterRef: z
    .object({ name: dnsName })
    .optional()
    .describe('A cluster of the namespace of this pipeline; absent: the hub.'),
})

/** Annotation `lockstep.dev/request.<name>`: the part of a key after its prefix has at most 63 characters. */
const environmentName = z
  .string()
  .min(1)
  .max(55)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)

const environment = z.object({
  name: environmentName,
  from: z
    .array(environmentName)
    .min(1)
    .max(16)
    .optional()
    .meta({ listType: 'set' })
    .describe('Where revisions come from; absent: the environment before. Several: settled in all of them.'),
  targets: z.array(target).min(1).max(1000),
  readiness: z
    .object({
      minReady: z
        .union([z.literal('All'), z.int32().min(1)])
        .meta({ intOrString: '^(All|[1-9][0-9]*)$', minimum: 1 })
        .default('All')
        .describe('All, or so many: the others may be out of reach, and nothing else.'),
      soakSeconds: seconds(0, 'A revision is settled after being ready for so long.').default(0),
    })
    .prefault({}),
  promotion: promotionSettings.optional().describe('Absent: it is only looked at.'),
})

export const pipelineSpec = z
  .object({
    identity: dnsLabel
      .describe(
        'In names and keys of all promotions; no other pipeline may have it. It survives moves and restores.',
      )
      .meta(rules({ rule: 'self == oldSelf', message: 'is immutable: promotions are found again by it' })),
    appRef: z
      .object({
        apiVersion: z.string().min(1).max(317),
        kind: z.string().min(1).max(63),
        name: z.string().min(1).max(253),
      })
      .describe('What carries the revision, in the namespace of each target.'),
    revisionExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL over object: its revision. Absent: as its kind says it.'),
    revisionsFrom: z
      .enum(['Targets', 'TargetsAndEvents'])
      .default('Targets')
      .describe(
        'Origin of the observed revisions. `Targets`: revisions are read from targets, and events only start a read. `TargetsAndEvents`: an event also counts where the hub cannot reach a target.',
      ),
    webhook: z
      .object({ secretRef: z.object({ name: dnsName }) })
      .optional()
      .describe('hmac-key, and hmac-key-previous while it is exchanged: who may send events.'),
    deletionPolicy: z
      .enum(['Orphan', 'Close'])
      .default('Orphan')
      .describe(
        'Of pull requests that are open when this pipeline goes, or one of its promotions. Orphan: they stay open. Close: they are closed first.',
      ),
    environments: z
      .array(environment)
      .min(1)
      .max(32)
      .meta({ listType: 'map', mapKeys: ['name'] }),
  })
  .meta(
    rules(
      {
        rule: '!has(self.environments[0].from)',
        message: 'the first environment has none before it: remove from',
        fieldPath: '.environments',
      },
      {
        rule: 'self.environments.all(e, !has(e.from) || e.from.all(f, f != e.name && self.environments.exists(o, o.name == f)))',
        message: 'from names other environments of this pipeline',
        fieldPath: '.environments',
      },
      {
        rule: "self.environments.all(e, !has(e.promotion) || e.promotion.strategy != 'module' || self.appRef.kind in ['Module', 'BootstrapModule'])",
        message: 'strategy module is for an appRef of kind Module',
        fieldPath: '.environments',
      },
    ),
  )

export type PipelineSpec = z.output<typeof pipelineSpec>
export type Environment = z.output<typeof environment>
