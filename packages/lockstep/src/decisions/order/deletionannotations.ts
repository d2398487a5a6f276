/** What the annotations of a live object say of its deletion. */
import { isString, type KubeObject } from '../../../../kube/src/object/index.ts'
import { type Dialects, type Note, reader } from './dialect/dialects.ts'
import type { ObjectOptions } from './orderoptions.ts'
import { saidOf } from './annotations.ts'

/** What becomes of an object that is to be deleted. */
export type Leaving = Pick<ObjectOptions, 'prune' | 'delete' | 'confirm'>

/**
 * Reads each annotation, and each label that counts as one, for itself: one that nobody understands, which may be
 * anybody's, takes nothing from another that says to keep the object. `dialects` absent: all.
 */
export function leavingReader(dialects: Dialects | undefined): (o: KubeObject) => Leaving {
  const read = reader(dialects)
  return (o) => {
    const { name, namespace, annotations = {}, labels = {} } = o.metadata
    const place = { name, ...(namespace === undefined ? {} : { namespace }) }
    const notes: Note[] = []
    const add = (metadata: KubeObject['metadata']): void => {
      const said = read({ apiVersion: o.apiVersion, kind: o.kind, metadata })
      if (said.ok) notes.push(...said.value)
    }
    for (const [key, value] of Object.entries(annotations))
      if (isString(value)) add({ ...place, annotations: { [key]: value } })
    for (const [key, value] of Object.entries(labels)) add({ ...place, labels: { [key]: value } })
    return saidOf(o, notes).options
  }
}
