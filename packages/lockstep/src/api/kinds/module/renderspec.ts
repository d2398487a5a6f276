import { z } from 'zod'
import { dnsLabel, rules } from '../schemarules.ts'
import { apiVersions, helm, kubeVersion } from './helmrender.ts'

const target = z
  .object({
    group: z.string().optional(),
    version: z.string().optional(),
    kind: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().optional(),
    labelSelector: z.string().optional(),
    annotationSelector: z.string().optional(),
  })
  .describe('Which objects are patched: regular expressions, and selectors.')

const image = z.object({
  name: z.string().min(1).describe('The image as the manifests name it.'),
  newName: z.string().optional(),
  newTag: z.string().optional(),
  digest: z.string().optional(),
})

const kustomize = z
  .object({
    patches: z
      .array(z.object({ patch: z.string().min(1), target: target.optional() }))
      .max(100)
      .optional()
      .describe('Strategic merge or JSON patches.'),
    images: z.array(image).max(100).optional(),
    components: z
      .array(z.string().min(1).max(1024))
      .max(100)
      .optional()
      .describe('Directories of components, from the path of the source.'),
    namePrefix: z.string().max(63).optional(),
    nameSuffix: z.string().max(63).optional(),
    targetNamespace: dnsLabel.optional().describe('Replaces the namespace of every namespaced object.'),
    commonMetadata: z
      .object({
        labels: z.record(z.string(), z.string()).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
  })
  .describe(
    'kustomize build of the path, with these on top. Needs kubectl or kustomize beside the controller.',
  )

export type KustomizeRender = z.output<typeof kustomize>

const clusterGroup = z
  .object({
    valuesFiles: z
      .array(z.string().min(1).max(1024))
      .max(32)
      .optional()
      .describe('From left to right: paths below the path of the source, or keys of its ConfigMaps.'),
    values: z.unknown().meta({ anyObject: true }).optional().describe('Values over those of all files.'),
    applications: z
      .enum(['Objects', 'Modules', 'Skip'])
      .default('Objects')
      .describe(
        'Objects: Applications of Argo CD, which has to be there. Modules: a Module in place of each, beside this one. Skip: none.',
      ),
    kubeVersion: kubeVersion.optional().describe('Of the Modules of applications: render.helm.kubeVersion.'),
    apiVersions: apiVersions.optional().describe('Of the Modules of applications: render.helm.apiVersions.'),
    sequencing: z
      .enum(['Native', 'Jobs'])
      .default('Native')
      .describe(
        'Native: a sequenceJob that polls is a wait, without a pod. Jobs: as the chart does it, by Jobs that poll until something exists.',
      ),
    extraObjectWaits: z
      .boolean()
      .default(true)
      .describe('Native: Jobs of extraObjects that do nothing but poll are waits, too.'),
  })
  .describe(
    'The cluster group of a Validated Pattern: objects as its chart makes them of values files, without Helm.',
  )

export type ClusterGroupRender = z.output<typeof clusterGroup>
export type { HelmRender } from './helmrender.ts'

export const renderSpec = z
  .object({
    plain: z.object({}).optional().describe('Manifests as they are. The default.'),
    kustomize: kustomize.optional(),
    clusterGroup: clusterGroup.optional(),
    helm: helm.optional(),
    namespace: dnsLabel.optional().describe('Namespace of namespaced objects that have none.'),
  })
  .meta(
    rules(
      {
        rule: '[has(self.plain), has(self.kustomize), has(self.clusterGroup), has(self.helm)].filter(given, given).size() <= 1',
        message: 'at most one of plain, kustomize, clusterGroup, helm',
      },
      {
        rule: '!has(self.helm) || has(self.__namespace__)',
        message: 'charts are rendered for a namespace; set it beside helm',
        fieldPath: '.namespace',
      },
    ),
  )
