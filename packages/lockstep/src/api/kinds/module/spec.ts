import { z } from 'zod'
import { ADOPT_FROM } from '../../toolmanagers.ts'
import {
  dnsLabel,
  dnsName,
  goDuration,
  labelSelector,
  rules,
  seconds,
  serviceAccountName,
} from '../schemarules.ts'
import { moduleBindings } from './modulebindings.ts'
import { renderSpec } from './renderspec.ts'
import { rolloutSpec } from './rolloutspec.ts'
import { sourceSpec } from './sourcespec.ts'
import { targetsSpec } from './targetsspec.ts'

const edge = z
  .object({
    id: dnsLabel.describe('Name of this dependency in messages; unique in the list.'),
    module: z
      .object({
        kind: z.enum(['Module', 'BootstrapModule', 'ClusterResourceSet']).describe('Kind of the dependency.'),
        name: dnsName.describe(
          'Name of the dependency. A ClusterResourceSet must have strategy `Continuous`.',
        ),
        clusterRef: z
          .object({ name: dnsName.describe('Name of the cluster.') })
          .optional()
          .describe(
            'Other cluster on which the Module must be ready. If omitted the same cluster, or the hub for a Module that targets it.',
          ),
      })
      .optional()
      .describe('Module that must be ready.'),
    object: z
      .object({
        apiVersion: z.string().min(1).max(317).describe('API version of the object.'),
        kind: z.string().min(1).max(63).describe('Kind of the object.'),
        name: z.string().min(1).max(253).describe('Name of the object.'),
        namespace: dnsLabel.optional().describe('Namespace of the object.'),
      })
      .optional()
      .describe('Object on the same cluster that must exist and be healthy. Lockstep need not manage it.'),
    readyExpr: z
      .string()
      .min(1)
      .max(16_384)
      .optional()
      .describe('CEL expression over `object` that must be true; replaces the health rule of its kind.'),
    beforeWave: z
      .int32()
      .min(-999_999_999)
      .max(999_999_999)
      .optional()
      .describe(
        'Wave of the module before which all of its objects must be done; by default the whole Module must be ready.',
      ),
    release: z
      .enum(['Same', 'Any'])
      .default('Same')
      .describe(
        'Comparison of releases. `Same`: equal where both Modules set spec.release. `Any`: not compared.',
      ),
    optional: z
      .boolean()
      .default(false)
      .describe('Whether the dependency may be missing: it does not exist, or does not target the cluster.'),
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
      group: z.string().max(253).optional().describe('API group of the objects.'),
      kind: z.string().min(1).max(63).optional().describe('Kind of the objects.'),
      name: z.string().min(1).max(253).optional().describe('Name of the objects.'),
      namespace: dnsLabel.optional().describe('Namespace of the objects.'),
      labelSelector: labelSelector.optional().describe('Label selector of the objects.'),
    })
    .optional()
    .describe(
      'Objects of the bundle to which the rule applies; all if omitted. Omitted fields match everything.',
    ),
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
    .describe(
      'JSON pointers such as /spec/replicas. These fields are set at creation and not changed later.',
    ),
  managers: z
    .array(z.string().min(1).max(128))
    .max(32)
    .optional()
    .describe('Field managers whose fields are not changed.'),
})

const apply = z.object({
  prune: z
    .boolean()
    .default(true)
    .describe(
      'Deletion of objects that left the bundle, after all other objects are healthy, in reverse order.',
    ),
  allowEmpty: z.boolean().default(false).describe('Whether a bundle without objects is accepted.'),
  conflicts: z
    .enum(['Take', 'Fail'])
    .default('Take')
    .describe(
      'Handling of fields that another manager owns. `Take`: ownership is taken. `Fail`: ApplyConflict is reported.',
    ),
  deletionPolicy: z
    .enum(['Delete', 'Orphan'])
    .default('Delete')
    .describe(
      'Handling of the objects when the Module is removed from a cluster. `Delete`: deleted. `Orphan`: left in place, unmanaged.',
    ),
  concurrency: z
    .int32()
    .min(1)
    .max(256)
    .default(16)
    .describe('Most concurrent requests for objects of one cluster.'),
  adopt: z
    .enum(['Never', 'Unowned', 'Listed'])
    .default('Unowned')
    .describe(
      'Adoption of existing objects. `Never`: refused. `Unowned`: adopted if no other tool manages them. `Listed`: also adopted from suspended tools in `adoptFrom`.',
    ),
  adoptFrom: z
    .array(z.string().min(1).max(128))
    .max(32)
    .default(ADOPT_FROM)
    .describe(
      'Field managers whose fields Lockstep takes when it adopts an object. Of the shared name `manager` it takes only the fields of the manifest.',
    ),
  takeOverFrom: z
    .array(
      z.object({
        kind: z.enum(['Module', 'BootstrapModule', 'ClusterResourceSet']).describe('Kind of the giver.'),
        name: dnsName.describe('Name of the giver.'),
      }),
    )
    .max(16)
    .optional()
    .describe(
      'Modules and sets of this namespace that hand over their objects, where the bundle of this Module has them.',
    ),
  namespaces: z
    .enum(['Confirm', 'Delete', 'Keep'])
    .default('Confirm')
    .describe(
      'Deletion of Namespaces that existed before this Module. `Confirm`: after an approval of stage prune. `Delete`: at once. `Keep`: no Namespace is deleted, their marks are removed.',
    ),
  replaceImmutable: z
    .boolean()
    .default(false)
    .describe(
      'Delete and recreate objects whose immutable fields changed. Objects that hold data or other objects are never recreated.',
    ),
  dryRun: z
    .enum(['FirstCluster', 'Updates', 'Never'])
    .default('FirstCluster')
    .describe(
      'Dry runs before the first write; a refused change stops all writes. `FirstCluster`: of objects that are new or get other fields, on the first of several clusters. `Updates`: of all changes, on each cluster. `Never`: none.',
    ),
  ignore: z.array(ignoreRule).max(64).optional().describe('Fields that other managers set.'),
  dialects: z
    .array(z.enum(['Argo', 'Helm', 'Kapp', 'CliUtils', 'Flux']))
    .max(5)
    .optional()
    .describe(
      'Tools whose ordering annotations have an effect, in addition to those of Lockstep; all if omitted.',
    ),
  drift: z
    .enum(['Revert', 'Observe', 'Ignore'])
    .default('Revert')
    .describe('Handling of drift. `Revert`: restored. `Observe`: reported. `Ignore`: neither.'),
  driftInterval: goDuration(
    '10s',
    '24h',
    'Longest time between two checks for drift, in addition to watches,',
  ).default('10m'),
})

const cel = (description: string) => z.string().min(1).max(16_384).describe(description)

const healthExpression = z
  .object({
    apiVersion: z.string().min(1).max(317).describe('Group of the objects; the version is not compared.'),
    kind: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('Kind of the objects; if omitted, all kinds of the group without an entry of their own.'),
    name: z.string().min(1).max(253).optional().describe('Name of the object.'),
    namespace: dnsLabel.optional().describe('Namespace of the objects.'),
    labels: z.record(z.string(), z.string()).optional().describe('Labels that the objects must have.'),
    inProgress: cel('CEL expression that is true while the object is not ready. Evaluated first.').optional(),
    failed: cel('CEL expression that is true if the object has failed. Evaluated second.').optional(),
    current: cel('CEL expression that is true if the object is ready.'),
    minCount: z
      .int32()
      .min(1)
      .max(10_000)
      .default(1)
      .describe('Number of objects that must match if they are not in the bundle.'),
    settleSeconds: seconds(0, 'Time the object must stay ready.').default(0),
  })
  .meta(
    rules(
      { rule: '!has(self.name) || !has(self.labels)', message: 'at most one of name and labels' },
      {
        rule: 'has(self.kind) || !has(self.name) && !has(self.labels)',
        message: 'name and labels require kind',
      },
      {
        rule: '!has(self.name) || self.minCount == 1',
        message: 'must be 1 with name',
        fieldPath: '.minCount',
      },
    ),
  )

export const healthSettings = z.object({
  profile: z
    .enum(['Lockstep', 'Argo', 'KStatus'])
    .default('Lockstep')
    .describe(
      'Health rules. `Lockstep`, `Argo`: those of Argo CD. `KStatus`: treats a started Job and a failed Pod as current.',
    ),
  timeoutSeconds: seconds(1, 'Time after an apply in which an object must become ready.').default(600),
  degradedSeconds: seconds(0, 'Time a degraded object may take to recover before it has failed.').default(30),
  hookTimeoutSeconds: seconds(1, 'Timeout of a hook.').default(1800),
  expressions: z
    .array(healthExpression)
    .max(64)
    .optional()
    .describe(
      'Health rules in CEL over `apiVersion`, `kind`, `metadata`, `spec`, `status`, `data`, and `object`, the whole object. The most specific entry applies; of equal ones, the first.',
    ),
  settleSeconds: seconds(
    0,
    'Time without changes after which kinds without an observed generation are healthy.',
  ).optional(),
})

const spec = z.object({
  release: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$/)
    .optional()
    .describe('Release shared by Modules. Sources resolve once per release.'),
  serviceAccountName,
  source: sourceSpec,
  render: renderSpec.optional(),
  targets: targetsSpec.optional(),
  bindings: moduleBindings,
  dependsOn: edges
    .optional()
    .meta({ listType: 'map', mapKeys: ['id'] })
    .describe(
      'Dependencies that must be ready, at the same release, before this Module is deployed to a cluster.',
    ),
  rollout: rolloutSpec.prefault({}).describe('Settings of the rollout.'),
  apply: apply.prefault({}).describe('Settings of writes, drift and deletion.'),
  health: healthSettings.prefault({}).describe('Settings of health checks.'),
  revisionHistoryLimit: z
    .int32()
    .min(0)
    .max(1000)
    .default(10)
    .describe('Number of old revisions that are kept, in addition to published and deployed ones.'),
  attempt: z
    .int32()
    .min(0)
    .default(0)
    .describe('Number of the attempt. Increase to verify all clusters again.'),
})

export const moduleSpec = spec.meta(
  rules(
    {
      rule: '!has(self.render) || !has(self.render.kustomize) || has(self.source.git)',
      message: 'requires source.git',
      fieldPath: '.render.kustomize',
    },
    {
      rule: '!has(self.render) || !has(self.render.clusterGroup) || has(self.source.git) || has(self.source.configMaps)',
      message: 'requires source.git or source.configMaps',
      fieldPath: '.render.clusterGroup',
    },
    {
      rule: '!has(self.render) || !has(self.render.helm) || has(self.source.git) || has(self.source.helm)',
      message: 'requires source.helm or source.git',
      fieldPath: '.render.helm',
    },
    {
      rule: '!has(self.source.helm) || has(self.render) && has(self.render.helm)',
      message: 'requires render.helm',
      fieldPath: '.source.helm',
    },
    {
      rule: '!has(self.source.refs) || has(self.render) && has(self.render.helm)',
      message: 'requires render.helm',
      fieldPath: '.source.refs',
    },
  ),
)

/** With their defaults, also of a spec that is older than some of them. */
export const applySettings = apply

export type DependsOnEdge = z.output<typeof edge>
export type ModuleSpec = z.output<typeof moduleSpec>
/** A spec as users write it; the schema adds defaults. */
export type ModuleSpecGiven = z.input<typeof moduleSpec>
