import { openHub } from '../../kit/hub/index.ts'
import { type Command, type CommandContext, type CommandResult, failed, textFlag } from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { clusterNames, readSnapshot } from '../../kit/snapshot/index.ts'
import { nearest } from '../../kit/terminal/index.ts'
import { dotOf } from './dot.ts'
import { cycleText, graphOf, graphReport, type ModuleGraph } from './graphreport.ts'
import { drawGraphTree } from './graphtree.ts'
import { mermaidOf } from './mermaid.ts'

/** `lockstep graph`. */
export const graphCommand: Command = {
  name: 'graph',
  summary: 'Show dependencies',
  detail:
    'Shows the Modules of a namespace, or with --cluster the units on that cluster. Dependencies are below their dependents. Exit 1 when there is a dependency cycle.',
  options: [{ flags: '--cluster <name>', completes: 'cluster', text: 'show the units on this cluster' }],
  formats: ['tree', 'dot', 'mermaid', 'json', 'yaml'],
  examples: [
    ['Show dependencies of Modules', 'graph -n platform'],
    ['Show the state of the units on one cluster', 'graph --cluster prod-eu -n platform'],
    ['Draw a picture with Graphviz', 'graph -n platform -o dot | dot -Tsvg'],
    ['Print a diagram for a README', 'graph -n platform -o mermaid'],
  ],
  async run(c, _args, flags) {
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const seen = await readSnapshot(c, hub.value)
    if (!seen.ok) return seen
    const cluster = textFlag(flags, 'cluster')
    const clusters = clusterNames(seen.value)
    if (cluster !== undefined && !clusters.includes(cluster)) {
      const meant = nearest(cluster, clusters)
      const suggestion = meant
        ? `did you mean ${meant}?`
        : `clusters: ${clusters.slice(0, 8).join(', ') || 'none'}`
      const { namespace } = hub.value
      return failed('E_NOT_FOUND', { kind: 'cluster', name: cluster, namespace, suggestion })
    }
    return show(c, graphOf(seen.value, hub.value.namespace, cluster))
  },
}

function show(c: CommandContext, g: ModuleGraph): CommandResult {
  const { output } = c.globals
  if (output === 'dot') c.terminal.data(dotOf(g))
  else if (output === 'mermaid') c.terminal.data(mermaidOf(g))
  else if (!printData(c, graphReport.fill({ ...g }), []))
    for (const line of drawGraphTree(c.terminal, g)) c.terminal.print(line)
  // The tree has said it where people look; a drawing goes to another program.
  if (output === 'dot' || output === 'mermaid')
    for (const cycle of g.cycles) c.terminal.talk(`cycle: ${cycleText(cycle)}`)
  return { ok: true, value: g.cycles.length > 0 ? 1 : 0 }
}
