import { refOf, refText } from '../../object/object.ts'
import type { HookNode, OrderFailure, OrderGraph } from './graph.ts'

const MUTATION = 'config.kubernetes.io/apply-time-mutation'
const HOOKS = ['lockstep.dev/hook', 'argocd.argoproj.io/hook', 'helm.sh/hook']

/**
 * What this version reads and does not deliver yet: it is refused, rather than applied as something else at the wrong
 * time.
 */
export function undelivered(graph: OrderGraph): OrderFailure | undefined {
  const lifecycle = [...graph.syncFail, ...graph.preDelete, ...graph.postDelete].flat()
  for (const node of [...lifecycle, ...graph.nodes]) {
    if (node.type === 'hook') return refusedHook(node)
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

function refusedHook({ object }: HookNode): OrderFailure {
  const { annotations } = object.metadata
  const name = HOOKS.find((key) => annotations?.[key] !== undefined)!
  return refused(`${refText(refOf(object))}: ${name} has value "${annotations![name]}"; hooks`)
}

const refused = (what: string): OrderFailure => ({
  reason: 'InvalidAnnotation',
  message: `${what} are not delivered by this version: remove the annotation or the object`,
})
