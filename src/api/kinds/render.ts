import { z } from 'zod'
import { dnsLabel, rules } from './scalars.ts'

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

export const render = z
  .object({
    plain: z.object({}).optional().describe('Manifests as they are. The default.'),
    kustomize: kustomize.optional(),
    namespace: dnsLabel.optional().describe('Namespace of namespaced objects that have none.'),
  })
  .meta(
    rules({
      rule: '!has(self.plain) || !has(self.kustomize)',
      message: 'at most one of plain, kustomize; found both',
    }),
  )
