/** What the annotations of a live object say of its deletion. */
import { isString, type KubeObject } from '@lockstep/kube/object'
import { orderingOfAnnotations } from './annotations.ts'
import { type AnnotationNote, type Dialects, dialectsReader } from './dialect/dialects.ts'
import type { OrderOptions } from './orderoptions.ts'

/** What becomes of an object that is to be deleted. */
export type DeletionAnnotations = Pick<OrderOptions, 'prune' | 'delete' | 'confirm'>

/**
 * Reads each annotation, and each label that counts as one, for itself: one that nobody understands, which may be
 * anybody's, takes nothing from another that says to keep the object. `dialects` absent: all.
 */
export function deletionAnnotationsReader(
  dialects: Dialects | undefined,
): (o: KubeObject) => DeletionAnnotations {
  const read = dialectsReader(dialects)
  return (o) => {
    const { name, namespace, annotations = {}, labels = {} } = o.metadata
    const place = { name, ...(namespace === undefined ? {} : { namespace }) }
    const notes: AnnotationNote[] = []
    const add = (metadata: KubeObject['metadata']): void => {
      const said = read({ apiVersion: o.apiVersion, kind: o.kind, metadata })
      if (said.ok) notes.push(...said.value)
    }
    for (const [key, value] of Object.entries(annotations))
      if (isString(value)) add({ ...place, annotations: { [key]: value } })
    for (const [key, value] of Object.entries(labels)) add({ ...place, labels: { [key]: value } })
    return orderingOfAnnotations(o, notes).options
  }
}
