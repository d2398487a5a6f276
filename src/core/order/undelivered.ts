import { refOf, refText } from '../../object/object.ts'
import type { HookNode, OrderFailure, OrderGraph } from './graph.ts'

const HOOKS = ['lockstep.dev/hook', 'argocd.argoproj.io/hook', 'helm.sh/hook']

/**
 * What this version reads and does not deliver yet: it is refused, rather than applied as something else at the wrong
 * time.
 */
export function undelivered(graph: OrderGraph): OrderFailure | undefined {
  const lifecycle = [...graph.syncFail, ...graph.preDelete, ...graph.postDelete].flat()
  for (const node of [...lifecycle, ...graph.nodes]) {
    if (node.type === 'hook') return refusedHook(node)
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
