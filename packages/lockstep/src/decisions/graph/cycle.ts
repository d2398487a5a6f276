/**
 * A shortest cycle through `start`, as the nodes in order with `start` first and last; undefined if there is none.
 * Breadth first, successors in the order given, so that the same graph always names the same cycle.
 */
export function cycleThrough(
  start: string,
  successors: (node: string) => Iterable<string>,
): string[] | undefined {
  const cameFrom = new Map<string, string>()
  let layer = [start]
  while (layer.length > 0) {
    const next: string[] = []
    for (const node of layer) {
      for (const to of successors(node)) {
        if (to === start) return [...pathTo(node, start, cameFrom), start]
        if (cameFrom.has(to)) continue
        cameFrom.set(to, node)
        next.push(to)
      }
    }
    layer = next
  }
  return undefined
}

function pathTo(node: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = []
  for (let here = node; here !== start; here = cameFrom.get(here)!) path.unshift(here)
  return [start, ...path]
}
