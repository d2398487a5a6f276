import type { KubeObject } from '@lockstep/kube/object'

/** An object without its content (apimachinery meta/v1 PartialObjectMetadata). */
export const partialOf = (o: KubeObject, apiVersion: string): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata: o.metadata,
})
