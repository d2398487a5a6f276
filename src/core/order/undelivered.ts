import { refOf, refText } from '../../object/object.ts'
import { ruleText } from './dialect/kapprule.ts'
import type { OrderFailure, OrderGraph } from './graph.ts'
import type { ChangeRule } from './options.ts'

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
    const mixed = node.type === 'object' ? node.options.changeRules.find(isEarly) : undefined
    if (node.type === 'object' && mixed)
      return refused(
        `${refText(refOf(node.object))}: kapp's change rule "${ruleText(mixed)}" asks for a deletion before something is applied, and objects are deleted once all others are healthy; such rules`,
      )
  }
  return undefined
}

/** What leaves goes last: the other two rules between an apply and a deletion hold by themselves. */
const isEarly = ({ action, order }: ChangeRule): boolean =>
  action === 'upsert' ? order === 'after' : order === 'before'

const refused = (what: string): OrderFailure => ({
  reason: 'InvalidAnnotation',
  message: `${what} are not delivered by this version: remove the annotation or the object`,
})
