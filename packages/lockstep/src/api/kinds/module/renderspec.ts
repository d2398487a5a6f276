import { z } from 'zod'
import { dnsLabel, rules } from '../schemarules.ts'
import { apiVersions, helm, kubeVersion } from './helmrender.ts'

const target = z
  .object({
    group: z.string().optional().describe('API group of the objects.'),
    version: z.string().optional().describe('API version of the objects.'),
    kind: z.string().optional().describe('Kind of the objects.'),
    name: z.string().optional().describe('Name of the objects.'),
    namespace: z.string().optional().describe('Namespace of the objects.'),
    labelSelector: z.string().optional().describe('Label selector of the objects.'),
    annotationSelector: z.string().optional().describe('Annotation selector of the objects.'),
  })
  .describe('Objects that are patched, by regular expressions and selectors.')

const image = z.object({
  name: z.string().min(1).describe('Image name in the manifests.'),
  newName: z.string().optional().describe('Name that replaces it.'),
  newTag: z.string().optional().describe('Tag that replaces it.'),
  digest: z.string().optional().describe('Digest that replaces its tag.'),
})

const kustomize = z
  .object({
    patches: z
      .array(z.object({ patch: z.string().min(1).describe('Text of the patch.'), target: target.optional() }))
      .max(100)
      .optional()
      .describe('Strategic merge or JSON patches.'),
    images: z.array(image).max(100).optional().describe('Images to change.'),
    components: z
      .array(z.string().min(1).max(1024))
      .max(100)
      .optional()
      .describe('Directories of components, relative to the path of the source.'),
    namePrefix: z.string().max(63).optional().describe('Prefix of all names.'),
    nameSuffix: z.string().max(63).optional().describe('Suffix of all names.'),
    targetNamespace: dnsLabel.optional().describe('Namespace that replaces that of all namespaced objects.'),
    commonMetadata: z
      .object({
        labels: z.record(z.string(), z.string()).optional().describe('Labels to add.'),
        annotations: z.record(z.string(), z.string()).optional().describe('Annotations to add.'),
      })
      .optional()
      .describe('Labels and annotations of all objects.'),
  })
  .describe(
    'Rendering by `kustomize build` of the path, with these settings on top. Needs kubectl or kustomize beside the controller.',
  )

export type KustomizeRender = z.output<typeof kustomize>

const clusterGroup = z
  .object({
    valuesFiles: z
      .array(z.string().min(1).max(1024))
      .max(32)
      .optional()
      .describe(
        'Values files, later ones override earlier ones. Paths are relative to the path of the source, or keys of its ConfigMaps.',
      ),
    values: z.unknown().meta({ anyObject: true }).optional().describe('Values that override all files.'),
    applications: z
      .enum(['Objects', 'Modules', 'Skip'])
      .default('Objects')
      .describe(
        'Handling of applications. `Objects`: Argo CD Applications, which need Argo CD. `Modules`: a Module in place of each, in this namespace. `Skip`: none.',
      ),
    kubeVersion: kubeVersion
      .optional()
      .describe('Value of `render.helm.kubeVersion` in the Modules of applications.'),
    apiVersions: apiVersions
      .optional()
      .describe('Value of `render.helm.apiVersions` in the Modules of applications.'),
    sequencing: z
      .enum(['Native', 'Jobs'])
      .default('Native')
      .describe(
        'Handling of sequence Jobs. `Native`: a polling Job becomes a wait condition without a Pod. `Jobs`: Jobs poll until objects exist, as in the chart.',
      ),
    extraObjectWaits: z
      .boolean()
      .default(true)
      .describe('With `Native`: whether polling Jobs in extraObjects become wait conditions too.'),
  })
  .describe(
    'Cluster group of a Validated Pattern: the objects of its chart for these values files, without Helm.',
  )

export type ClusterGroupRender = z.output<typeof clusterGroup>
export type { HelmRender } from './helmrender.ts'

export const renderSpec = z
  .object({
    plain: z.object({}).optional().describe('Manifests without rendering; the default.'),
    kustomize: kustomize.optional(),
    clusterGroup: clusterGroup.optional(),
    helm: helm.optional(),
    namespace: dnsLabel.optional().describe('Namespace of namespaced objects that have none.'),
  })
  .meta(
    rules(
      {
        rule: '[has(self.plain), has(self.kustomize), has(self.clusterGroup), has(self.helm)].filter(given, given).size() <= 1',
        message: 'at most one of plain, kustomize, clusterGroup and helm',
      },
      {
        rule: '!has(self.helm) || has(self.__namespace__)',
        message: 'must be set with helm',
        fieldPath: '.namespace',
      },
    ),
  )
  .describe('Rendering of the source to manifests.')
