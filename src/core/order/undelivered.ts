import { refOf, refText } from '../../object/object.ts'
import type { OrderFailure, OrderGraph } from './graph.ts'

const MUTATION = 'config.kubernetes.io/apply-time-mutation'

/**
 * What this version reads and does not deliver yet: it is refused, rather than applied as something else at the wrong
 * time.
 */
export function undelivered(graph: OrderGraph): OrderFailure | undefined {
  const later = [...graph.syncFail, ...graph.preDelete, ...graph.postDelete].flat()
  for (const node of [...later, ...graph.nodes]) {
    // Without the copies it would be another object than its author means.
    if (node.type === 'hook' && node.options.mutations.length > 0)
      return refused(`${refText(refOf(node.object))}: ${MUTATION} copies values into a hook; such copies`)
    if (node.type === 'object' && node.options.mode !== 'Override')
      return refused(`${refText(refOf(node.object))} has mode ${node.options.mode}; modes but Override`)
  }
  return undefined
}

const refused = (what: string): OrderFailure => ({
  reason: 'InvalidAnnotation',
  message: `${what} are not delivered by this version: remove the annotation or the object`,
})
