import type { Meters } from './env.ts'
import type { ProcessExit, Processes, ProcessFailure } from './processes.ts'
import type { Result } from './result.ts'

/** The same programs, whose runs are counted by the name of the program without its folder. */
export const countedProcesses = (inner: Processes, meters: Pick<Meters, 'count'>): Processes => ({
  find: (program) => inner.find(program),
  async run(program, args, options) {
    const ended = await inner.run(program, args, options)
    const tool = program.slice(program.lastIndexOf('/') + 1)
    meters.count('lockstep_tool_runs_total', { tool, result: resultOf(ended) })
    return ended
  },
})

function resultOf(ended: Result<ProcessExit, ProcessFailure>): string {
  if (!ended.ok) return ended.error.kind
  return ended.value.code === 0 ? 'Succeeded' : 'Failed'
}
