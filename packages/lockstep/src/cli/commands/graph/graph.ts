import { type Command, type CommandContext, textFlag } from '../../kit/command.ts'
import { failed, type CommandResult } from '../../kit/clifailure.ts'
import { dotOf } from './dot.ts'
import { cycleText, type ModuleGraph, graphOf, graphReport } from './graphreport.ts'
import { mermaidOf } from './mermaid.ts'
import { drawGraphTree } from './graphtree.ts'
import { openHub } from '../../kit/hub/hub.ts'
import { printData } from '../../kit/output/printobjects.ts'
import { nearest } from '../../kit/terminal/agetext.ts'
import { clusterNames, readSnapshot } from '../../kit/snapshot/snapshot.ts'

/** `lockstep graph`. */
export const graphCommand: Command = {
  name: 'graph',
  summary: 'Print the dependency graph',
  detail:
    'The modules of a namespace, or with --cluster the units on that cluster; what is needed stands below who needs it. Exit 1 when there is a cycle.',
  options: [{ flags: '--cluster <name>', completes: 'cluster', text: 'the units on this cluster' }],
  formats: ['tree', 'dot', 'mermaid', 'json', 'yaml'],
  examples: [
    ['Who needs whom', 'graph -n platform'],
    ['How far the units of one cluster are', 'graph --cluster prod-eu -n platform'],
    ['A picture, by Graphviz', 'graph -n platform -o dot | dot -Tsvg'],
    ['A diagram for a README', 'graph -n platform -o mermaid'],
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
        ? `Did you mean ${meant}?`
        : `There are: ${clusters.slice(0, 8).join(', ') || 'none'}.`
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
