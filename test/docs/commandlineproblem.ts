/** Whether the command line understands words that a page or a manifest has, without running them. */
import { allCommands } from '../../packages/lockstep/src/cli/commands/index.ts'
import { globalsOf } from '../../packages/lockstep/src/cli/kit/index.ts'
import { createProgram } from '../../packages/lockstep/src/cli/program.ts'

/** `argv`: without the name of the program. Undefined: it is understood. */
export async function commandLineProblem(argv: readonly string[]): Promise<string | undefined> {
  let problem: string | undefined
  const program = createProgram(
    await allCommands(),
    () => {},
    async (def, _, flags) => {
      const globals = globalsOf(def, flags)
      if (!globals.ok) problem = globals.error.message
    },
    argv,
  )
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (e) {
    if (!(e instanceof Error && 'exitCode' in e)) throw e
    return e.exitCode === 0 ? undefined : e.message
  }
  return problem
}
