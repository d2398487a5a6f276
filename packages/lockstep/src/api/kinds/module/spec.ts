import { z } from 'zod'
import { ADOPT_FROM } from '../../toolmanagers.ts'
import { dnsLabel, dnsName, goDuration, labelSelector, rules, seconds } from '../schemarules.ts'
import { moduleBindings } from './modulebindings.ts'
import { renderSpec } from './renderspec.ts'
import { rolloutSpec } from './rolloutspec.ts'
import { sourceSpec } from './sourcespec.ts'
import { targetsSpec } from './targetsspec.ts'

const edge = z
  .object({
    id: dnsLabel.describe('Name of this edge in messages; unique in the list.'),
    module: z
      .object({
        kind: z.enum(['Module', 'BootstrapModule', 'ClusterResourceSet']),
        name: dnsName.describe('Of a ClusterResourceSet: one that is Continuous.'),
        clusterRef: z
          .object({ name: dnsName })
          .optional()
          .describe(
            'Another cluster; absent: the same one, or the hub for a module that is delivered to it.',
          ),
      })
      .optional(),
    object: z
      .object({
        apiVersion: z.string().min(1).max(317),
        kind: z.string().min(1).max(63),
        name: z.string().min(1).max(253),
        namespace: dnsLabel.optional(),
      })
      .optional()
      .describe('An object on the same cluster, whoever made it: it must exist and be healthy.'),
    readyExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL over object, instead of the health of its kind: the edge is open while it is true.'),
    beforeWave: z
      .int32()
      .min(-999_999_999)
      .max(999_999_999)
      .optional()
      .describe(
        'Of module: open once everything of its waves before this one is done there, and not only when all of it is ready.',
      ),
    release: z
      .enum(['Same', 'Any'])
      .default('Same')
      .describe(
        'Same: where both sides set spec.release, they must be equal. Any: releases are not compared.',
      ),
    optional: z
      .boolean()
      .default(false)
      .describe('True: passes where the other does not exist, or does not select the cluster.'),
  })
  .meta({
    exactlyOne: ['module', 'object'],
    ...rules(
      {
        rule: '!has(self.readyExpr) || has(self.object)',
        message: 'is for object; a module is ready when it is verified',
        fieldPath: '.readyExpr',
      },
      {
        rule: '!has(self.beforeWave) || has(self.module)',
        message: 'is for module; an object is in no wave',
        fieldPath: '.beforeWave',
      },
    ),
  })

/** Also what a ClusterResourceSet may say in an annotation. */
export const edges = z.array(edge).max(64)

const ignoreRule = z.object({
  target: z
    .object({
      group: z.string().max(253).optional(),
      kind: z.string().min(1).max(63).optional(),
      name: z.string().min(1).max(253).optional(),
      namespace: dnsLabel.optional(),
      labelSelector: labelSelector.optional(),
    })
    .optional()
    .describe('The objects of the bundle that it is for; absent: all. What is not given matches anything.'),
  paths: z
    .array(
      z
        .string()
        .min(2)
        .max(1024)
        .regex(/^(\/([^/~]|~[01])+)+$/),
    )
    .max(64)
    .optional()
    .describe('JSON pointers, such as /spec/replicas: set when the object is created, never touched again.'),
  managers: z
    .array(z.string().min(1).max(128))
    .max(32)
    .optional()
    .describe('Field managers: what one of them owns is left to it.'),
})

const apply = z.object({
  prune: z
    .boolean()
    .default(true)
    .describe('Delete what is no longer in the bundle, after everything is healthy, in reverse order.'),
  allowEmpty: z.boolean().default(false).describe('Accept a bundle without objects.'),
  conflicts: z
    .enum(['Take', 'Fail'])
    .default('Take')
    .describe('When another manager owns a field: take it, or fail with ApplyConflict.'),
  deletionPolicy: z
    .enum(['Delete', 'Orphan'])
    .default('Delete')
    .describe('What happens to the objects when the module leaves a cluster.'),
  concurrency: z.int32().min(1).max(256).default(16).describe('Objects in flight at once on one cluster.'),
  adopt: z
    .enum(['Never', 'Unowned', 'Listed'])
    .default('Unowned')
    .describe(
      'Objects that exist already. Never: left alone. Unowned: taken over if no other tool marks them. Listed: also those of tools in adoptFrom that are suspended.',
    ),
  adoptFrom: z
    .array(z.string().min(1).max(128))
    .max(32)
    .default(ADOPT_FROM)
    .describe(
      'Field managers whose fields become ours when an object is taken over; of manager, a name that many share, those that the manifest has.',
    ),
  takeOverFrom: z
    .array(z.object({ kind: z.enum(['Module', 'BootstrapModule', 'ClusterResourceSet']), name: dnsName }))
    .max(16)
    .optional()
    .describe('Units of this namespace whose objects become those of this module where its bundle has them.'),
  replaceImmutable: z
    .boolean()
    .default(false)
    .describe(
      'Delete an object and create it again where a field that has changed cannot change. Never what holds data or other objects.',
    ),
  dryRun: z
    .enum(['FirstCluster', 'Updates', 'Never'])
    .default('FirstCluster')
    .describe(
      'Before anything is written, what is to change is tried by dry runs; if one is refused, nothing is written. FirstCluster: on the first cluster that gets a revision. Updates: on each.',
    ),
  ignore: z.array(ignoreRule).max(64).optional().describe('Fields that others look after.'),
  dialects: z
    .array(z.enum(['Argo', 'Helm', 'Kapp', 'CliUtils', 'Flux']))
    .max(5)
    .optional()
    .describe(
      'Whose ordering annotations count, besides ours; absent: all. Those of others are plain annotations.',
    ),
  drift: z
    .enum(['Revert', 'Observe', 'Ignore'])
    .default('Revert')
    .describe('Handling of drift. `Revert`: restored. `Observe`: reported. `Ignore`: neither.'),
  driftInterval: goDuration(
    '10s',
    '24h',
    'Longest time between two looks at what is delivered; it is watched besides.',
  ).default('10m'),
})

const cel = (description: string) => z.string().min(1).max(16_384).describe(description)

const healthExpression = z
  .object({
    apiVersion: z.string().min(1).max(317).describe('Objects of this group; the version is not compared.'),
    kind: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('Absent: all kinds of the group that have no entry of their own.'),
    name: z.string().min(1).max(253).optional().describe('Only the object of this name.'),
    namespace: dnsLabel.optional().describe('Only objects of this namespace.'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Only objects that have all of these labels.'),
    inProgress: cel('True: not ready yet. Looked at first.').optional(),
    failed: cel('True: failed. Looked at next.').optional(),
    current: cel('True: ready; false: not ready yet.'),
    minCount: z
      .int32()
      .min(1)
      .max(10_000)
      .default(1)
      .describe('How many objects have to be selected, where they are not of the bundle.'),
    settleSeconds: seconds(0, 'It has to stay ready for so long.').default(0),
  })
  .meta(
    rules(
      { rule: '!has(self.name) || !has(self.labels)', message: 'at most one of name, labels' },
      {
        rule: 'has(self.kind) || !has(self.name) && !has(self.labels)',
        message: 'name and labels need a kind',
      },
      {
        rule: '!has(self.name) || self.minCount == 1',
        message: 'there is one object of a name',
        fieldPath: '.minCount',
      },
    ),
  )

export const healthSettings = z.object({
  profile: z
    .enum(['Lockstep', 'Argo', 'KStatus'])
    .default('Lockstep')
    .describe(
      'Whose reading of an object counts: ours, that of Argo CD, or kstatus, which is content with a Job that has started and a Pod that has failed.',
    ),
  timeoutSeconds: seconds(1, 'Per object, from its apply.').default(600),
  degradedSeconds: seconds(0, 'Degraded for so long is failed.').default(30),
  hookTimeoutSeconds: seconds(1, 'A hook that runs for so long has failed.').default(1800),
  expressions: z
    .array(healthExpression)
    .max(64)
    .optional()
    .describe(
      'Health in CEL over apiVersion, kind, metadata, spec, status, data, and object, which is the whole. The most specific entry counts, of equal ones the first.',
    ),
  settleSeconds: seconds(
    0,
    'Kinds that report no observed generation count as healthy only after so long without news.',
  ).optional(),
})

const spec = z.object({
  release: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$/)
    .optional()
    .describe('A name that modules share. Edges compare it, and the inputs are frozen until it changes.'),
  source: sourceSpec,
  render: renderSpec.optional(),
  targets: targetsSpec.optional(),
  bindings: moduleBindings,
  dependsOn: edges
    .optional()
    .meta({ listType: 'map', mapKeys: ['id'] })
    .describe('What must be ready, at the same release, before this module may act on a cluster.'),
  rollout: rolloutSpec.prefault({}),
  apply: apply.prefault({}),
  health: healthSettings.prefault({}),
  revisionHistoryLimit: z
    .int32()
    .min(0)
    .max(1000)
    .default(10)
    .describe('Revisions that are kept, besides those that are published, delivered or on their way.'),
  attempt: z
    .int32()
    .min(0)
    .default(0)
    .describe('Raise it to have everything verified again without a change of content.'),
})

export const moduleSpec = spec.meta(
  rules(
    {
      rule: '!has(self.render) || !has(self.render.kustomize) || has(self.source.git)',
      message: 'needs the files of source.git',
      fieldPath: '.render.kustomize',
    },
    {
      rule: '!has(self.render) || !has(self.render.clusterGroup) || has(self.source.git) || has(self.source.configMaps)',
      message: 'needs the files of source.git, or the keys of source.configMaps',
      fieldPath: '.render.clusterGroup',
    },
    {
      rule: '!has(self.render) || !has(self.render.helm) || has(self.source.git) || has(self.source.helm)',
      message: 'needs the chart of source.helm, or the files of source.git',
      fieldPath: '.render.helm',
    },
    {
      rule: '!has(self.source.helm) || has(self.render) && has(self.render.helm)',
      message: 'is a chart; set render.helm',
      fieldPath: '.source.helm',
    },
    {
      rule: '!has(self.source.refs) || has(self.render) && has(self.render.helm)',
      message: 'is for render.helm.valuesFiles',
      fieldPath: '.source.refs',
    },
  ),
)

/** With their defaults, also of a spec that is older than some of them. */
export const applySettings = apply

export type DependsOnEdge = z.output<typeof edge>
export type ModuleSpec = z.output<typeof moduleSpec>
/** As people write it: the schema puts in what is missing. */
export type ModuleSpecGiven = z.input<typeof moduleSpec>
