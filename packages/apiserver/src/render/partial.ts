import type { KubeObject } from '../../../kube/src/object/index.ts'

/** An object without its content (apimachinery meta/v1 PartialObjectMetadata). */
export const partialOf = (o: KubeObject, apiVersion: string): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata: o.metadata,
})
