import { refOf, refText } from '../../object/object.ts'
import type { OrderFailure, OrderGraph } from './graph.ts'

const MUTATION = 'config.kubernetes.io/apply-time-mutation'

/**
 * What this version reads and does not deliver yet: it is refused, rather than applied as something else at the wrong
 * time.
 */
export function undelivered(graph: OrderGraph): OrderFailure | undefined {
  for (const node of graph.nodes) {
    if (node.type === 'wait')
      return refused(`${node.id} is waited for (${node.why}); conditions on objects outside the bundle`)
    // Without the copies it would be another object than its author means.
    if (node.type === 'object' && node.options.mutations.length > 0)
      return refused(
        `${refText(refOf(node.object))}: ${MUTATION} copies values of other objects; such copies`,
      )
    if (node.type === 'object' && node.options.mode !== 'Override')
      return refused(`${refText(refOf(node.object))} has mode ${node.options.mode}; modes but Override`)
  }
  return undefined
}

const refused = (what: string): OrderFailure => ({
  reason: 'InvalidAnnotation',
  message: `${what} are not delivered by this version: remove the annotation or the object`,
})
