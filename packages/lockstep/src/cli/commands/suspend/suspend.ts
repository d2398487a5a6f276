import { suspendModule, unitWord } from '../../kit/hold/index.ts'
import type { Command } from '../../kit/index.ts'
import { pipelineWord, suspendPipeline } from '../../kit/pipelines/index.ts'

/** `lockstep suspend`. */
export const suspendCommand: Command = {
  name: 'suspend',
  summary: 'Suspend a Module, a unit or a Pipeline',
  arguments: '<what>',
  completes: ['suspendable'],
  detail:
    'WHAT: MODULE, MODULE@CLUSTER, pipeline/NAME or pipeline/NAME@ENVIRONMENT. Creates a Hold. While a Module is suspended, nothing is written and drift is not reverted. Rollout limits stay in use, and deadlines stop. While a Pipeline is suspended, nothing is promoted or merged, and open pull requests stay open. lockstep resume ends it. To let running deployments finish, use lockstep rollout pause.',
  options: [
    { flags: '--reason <text>', text: 'reason shown to users; default: lockstep suspend' },
    { flags: '--until <duration>', text: 'time after which the Hold expires, such as 8h' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Suspend a Module on all clusters', 'suspend monitoring --reason incident-4711 -n platform'],
    ['Suspend one unit for 8 hours', 'suspend monitoring@prod-eu --reason migration --until 8h'],
    ['Promote nothing to prod', 'suspend pipeline/podinfo@prod --until 8h -n platform'],
  ],
  async run(c, args, flags) {
    const pipeline = pipelineWord(args[0]!)
    if (pipeline !== undefined) return suspendPipeline(c, pipeline, flags)
    const { module, cluster } = unitWord(args[0]!)
    return suspendModule(c, module, 'Suspend', { cluster, flags })
  },
}
