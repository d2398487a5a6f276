/** Which waves of a unit are done, for those who need no more of it than that. Pure. */
import type { OrderGraph, OrderNode, OrderPosition } from '../../decisions/order/index.ts'
import type { Evaluation } from './unitinput.ts'

type WavePosition = Pick<OrderPosition, 'wave'> & { readonly phase: string }

/**
 * The highest of the waves asked for before which everything is done: as done as what comes later in the unit itself asks, so that
 * others begin when a wave of its own would. Undefined: none of them.
 */
export function lastOfCompletedWaves(
  graph: OrderGraph,
  e: Pick<Evaluation, 'unmet' | 'former' | 'synced'>,
  asked: Iterable<number>,
): number | undefined {
  let done: number | undefined
  for (const wave of asked)
    if ((done === undefined || wave > done) && isDoneBefore(graph, e, wave)) done = wave
  return done
}

function isDoneBefore(
  { nodes }: OrderGraph,
  { unmet, former, synced }: Pick<Evaluation, 'unmet' | 'former' | 'synced'>,
  wave: number,
): boolean {
  if (former.length > 0) return false
  const ends = nodes.flatMap((node, n) =>
    node.type === 'barrier' && node.endOf ? [{ n, place: node.endOf }] : [],
  )
  if (ends.length > 0) return ends.every(({ n, place }) => !isBefore(place, wave) || !unmet.has(n))
  // Nothing was put into a wave, and all is in one phase. Of a unit without objects no wave says anything.
  const places = nodes.flatMap(placeOf)
  return places.length > 0 && (synced || !places.some((p) => isBefore(p, wave)))
}

/** In any step: which of them an edge means it does not say. */
const isBefore = ({ phase, wave }: WavePosition, than: number): boolean =>
  phase === 'PreSync' || (phase === 'Sync' && wave < than)

/** Where no object asks for waves, a wave is at most the weight of a hook, and means nothing. */
const placeOf = (node: OrderNode): WavePosition[] =>
  node.type === 'object' || node.type === 'hook' ? [{ phase: node.phase, wave: 0 }] : []
