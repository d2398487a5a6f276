/** The kustomization that `spec.render.kustomize` stands for, beside the tree. Pure. */

import { encodeYaml, type JsonObject } from '@lockstep/kube/object'
import type { KustomizeRender } from '../../api/kinds/index.ts'
import { isKustomization } from './kustomizereferences.ts'

/** `target`: the directory of the tree, relative to the overlay's. */
export function overlayOf(render: KustomizeRender, target: string): string {
  const { patches, images, components, namePrefix, nameSuffix, targetNamespace, commonMetadata } = render
  const out: JsonObject = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [target],
    ...(namePrefix === undefined ? {} : { namePrefix }),
    ...(nameSuffix === undefined ? {} : { nameSuffix }),
    ...(targetNamespace === undefined ? {} : { transformers: [namespaceTransformer(targetNamespace)] }),
    ...(commonMetadata?.labels
      ? { labels: [{ pairs: commonMetadata.labels, includeSelectors: false, includeTemplates: false }] }
      : {}),
    ...(commonMetadata?.annotations ? { commonAnnotations: commonMetadata.annotations } : {}),
    ...(patches ? { patches: patches as unknown as JsonObject[] } : {}),
    ...(images ? { images: images as unknown as JsonObject[] } : {}),
    ...(components ? { components: components.map((c) => `${target}/${c}`) } : {}),
  }
  return encodeYaml(out)
}

/**
 * Sets the namespace of all namespaced objects, as `namespace:` of a kustomization does. That field also renames each Namespace of the
 * tree: objects of other Modules in a Namespace with the new name would then be deleted with this Module. The paths are those of
 * kustomize without the name of a Namespace (`api/internal/konfig/builtinpluginconsts`); kustomize knows the path of all other objects.
 */
const namespaceTransformer = (namespace: string): string =>
  encodeYaml({
    apiVersion: 'builtin',
    kind: 'NamespaceTransformer',
    metadata: { name: 'target-namespace', namespace },
    fieldSpecs: [
      { path: 'spec/service/namespace', group: 'apiregistration.k8s.io', kind: 'APIService', create: true },
      {
        path: 'spec/conversion/webhook/clientConfig/service/namespace',
        group: 'apiextensions.k8s.io',
        kind: 'CustomResourceDefinition',
      },
    ],
  })

/** Without a kustomization file, every manifest below the directory is a resource; a directory with its own is one. */
export function generatedKustomization(paths: readonly string[], directory: string): string {
  const inside = (path: string): string => (directory === '' ? path : path.slice(directory.length + 1))
  const own = new Set<string>()
  for (const path of paths) {
    if (isKustomization(path)) own.add(inside(path).split('/').slice(0, -1).join('/'))
  }
  // Whoever comes to a directory with its own goes no deeper: of two, one in the other, the outer counts.
  const outer = [...own].sort((a, b) => a.length - b.length)
  const resources = new Set<string>()
  for (const path of paths) {
    const relative = inside(path)
    const root = outer.find((d) => relative.startsWith(`${d}/`))
    if (root !== undefined) resources.add(root)
    else if (/\.ya?ml$/.test(relative)) resources.add(relative)
  }
  return encodeYaml({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...resources].sort(),
  })
}
