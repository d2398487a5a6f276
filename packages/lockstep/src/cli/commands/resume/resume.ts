import { resumeModule, unitWord } from '../../kit/hold/index.ts'
import type { Command } from '../../kit/index.ts'
import { pipelineWord, resumePipeline } from '../../kit/pipelines/index.ts'

/** `lockstep resume`. */
export const resumeCommand: Command = {
  name: 'resume',
  summary: 'End suspends and pauses',
  arguments: '<what>',
  completes: ['suspendable'],
  detail:
    'WHAT: MODULE, MODULE@CLUSTER, pipeline/NAME or pipeline/NAME@ENVIRONMENT. Deletes the Holds that suspend or pause it. A Hold on several clusters stays on the others. A Hold on all clusters cannot leave one out: it is named and stays, and the exit code is 1. Pins stay: lockstep unpin ends them. With a pin only, the exit code is 1.',
  formats: ['table', 'name'],
  examples: [
    ['Resume a Module on all clusters', 'resume monitoring -n platform'],
    ['Resume one unit', 'resume monitoring@prod-eu -n platform'],
    ['Resume a Pipeline', 'resume pipeline/podinfo -n platform'],
  ],
  async run(c, args) {
    const pipeline = pipelineWord(args[0]!)
    if (pipeline !== undefined) return resumePipeline(c, pipeline)
    const { module, cluster } = unitWord(args[0]!)
    return resumeModule(c, module, { cluster, ends: ['Suspend', 'Pause'] })
  },
}
