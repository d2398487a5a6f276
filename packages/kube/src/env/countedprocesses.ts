import type { Meters } from './env.ts'
import type { Processes } from './processes.ts'

/** The same programs, whose runs are counted by the name of the program without its folder. */
export const countedProcesses = (inner: Processes, meters: Pick<Meters, 'count'>): Processes => ({
  find: (program) => inner.find(program),
  async run(program, args, options) {
    const ended = await inner.run(program, args, options)
    const tool = program.slice(program.lastIndexOf('/') + 1)
    const exited = ended.ok && (ended.value.code === 0 ? 'Succeeded' : 'Failed')
    meters.count('lockstep_tool_runs_total', { tool, result: exited || (ended.ok ? '' : ended.error.kind) })
    return ended
  },
})
