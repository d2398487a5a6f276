/** The graph for Mermaid, as READMEs and wikis draw it. */

import { edgeLabel, lostTargets, nodeStateText } from './edgelabel.ts'
import { edgesInCycles, type ModuleGraph, pairOf, shortId } from './graphreport.ts'

export function mermaidOf(g: ModuleGraph): string {
  const lost = lostTargets(g)
  const names = new Map([...g.modules.map((n) => n.id), ...lost.keys()].map((id, i) => [id, `n${i}`]))
  const box = (id: string, ...lines: readonly string[]): string =>
    `${names.get(id)}["${[shortId(id), ...lines].filter((l) => l !== '').join('<br/>')}"]`
  const cyclic = edgesInCycles(g)
  const red = g.edges.flatMap((e, i) => (cyclic.has(pairOf(e)) || (e.problem && !e.optional) ? [i] : []))
  return [
    'flowchart LR',
    ...g.modules.map((n) => `  ${box(n.id, n.version, nodeStateText(n))}`),
    ...[...lost].map(([id, text]) => `  ${box(id, text)}:::lost`),
    ...g.edges.map((e) => {
      const words = edgeLabel(e)
      const arrow = `${e.optional ? '-.->' : '-->'}${words === '' ? '' : `|${words}|`}`
      return `  ${names.get(e.from)} ${arrow} ${names.get(e.to)}`
    }),
    ...(red.length > 0 ? [`  linkStyle ${red.join(',')} stroke:red`] : []),
    ...(lost.size > 0 ? ['  classDef lost stroke:red,stroke-dasharray:4'] : []),
    '',
  ].join('\n')
}
