/** The flags that every command has. */
import { Option as Flag, type Command as Program } from 'commander'
import type { Result } from '../env/result.ts'
import { type Command, type Flags, formatsOf, type Globals, type OutputFormat, textFlag } from './command.ts'
import { durationOf } from './duration.ts'
import { type CliFailure, failed } from './failure.ts'
import { nearest } from './terminal/text.ts'

export function addGlobals(program: Program): void {
  program
    .option('-n, --namespace <name>', "namespace; default: the context's")
    .option('-A, --all-namespaces', 'all namespaces')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--kubeconfig <file>', 'kubeconfig file; default: KUBECONFIG, then ~/.kube/config')
    .option('--request-timeout <duration>', 'how long one request may take', '30s')
    .option('-o, --output <format>', 'output')
    .option('-l, --selector <labels>', 'only what has these labels')
    .option('--no-headers', 'no header line in tables')
    .option('--color', 'colours, also without a terminal')
    .option('--no-color', 'no colours')
    .option('-v, --verbose', 'log on standard error; stacks of errors')
    .option('-q, --quiet', 'no talk on standard error but errors')
}

/** A global flag as the help of a command has it: which outputs there are differs. */
export function globalFor(flag: Flag, def?: Command): Flag {
  if (flag.long !== '--output') return flag
  const formats = formatsOf(def)
  return new Flag(flag.flags, flag.description).choices(formats).default(formats[0])
}

/** What the flags say, or which of them says nothing. */
export function globalsOf(def: Command, flags: Flags): Result<Globals, CliFailure> {
  const timeout = durationOf('request-timeout', textFlag(flags, 'requestTimeout') ?? '30s')
  if (!timeout.ok) return timeout
  const output = outputOf(def, textFlag(flags, 'output'))
  if (!output.ok) return output
  return {
    ok: true,
    value: {
      namespace: textFlag(flags, 'namespace'),
      allNamespaces: flags.allNamespaces === true,
      context: textFlag(flags, 'context'),
      kubeconfig: textFlag(flags, 'kubeconfig'),
      requestTimeoutMs: timeout.value,
      output: output.value,
      selector: textFlag(flags, 'selector'),
      headers: flags.headers !== false,
      verbose: flags.verbose === true,
      quiet: flags.quiet === true,
    },
  }
}

function outputOf(def: Command, given: string | undefined): Result<OutputFormat, CliFailure> {
  const formats = formatsOf(def)
  const found = given === undefined ? formats[0] : formats.find((f) => f === given)
  if (found !== undefined) return { ok: true, value: found }
  const meant = nearest(given!, formats)
  return failed('E_USAGE', {
    problem: `lockstep ${def.name} has no output "${given}"`,
    suggestion: meant ? `Did you mean ${meant}?` : `There are: ${formats.join(', ')}.`,
  })
}
