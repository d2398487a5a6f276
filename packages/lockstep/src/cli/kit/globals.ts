/** The flags that every command has. */

import type { Result } from '@lockstep/kube/env'
import { Option as Flag } from 'commander'
import { type CliFailure, failed } from './clifailure.ts'
import {
  type Command,
  type Flags,
  formatsOf,
  type Globals,
  type Option,
  type OutputFormat,
  textFlag,
} from './command.ts'
import { durationFlag } from './durationflag.ts'
import { nearest } from './terminal/index.ts'

export const globalOptions: readonly Option[] = [
  {
    flags: '-n, --namespace <name>',
    text: 'namespace; default: that of the context',
    completes: 'namespace',
  },
  { flags: '-A, --all-namespaces', text: 'all namespaces' },
  { flags: '--context <name>', text: 'context of the kubeconfig', completes: 'context' },
  {
    flags: '--kubeconfig <file>',
    text: 'kubeconfig file; default: KUBECONFIG, then ~/.kube/config',
    completes: 'file',
  },
  { flags: '--request-timeout <duration>', text: 'timeout of one request', default: '30s' },
  { flags: '-o, --output <format>', text: 'output' },
  { flags: '-l, --selector <labels>', text: 'label selector' },
  { flags: '--no-headers', text: 'no header line in tables' },
  { flags: '--color', text: 'colors, also without a terminal' },
  { flags: '--no-color', text: 'no colors' },
  { flags: '-v, --verbose', text: 'debug logs on standard error, with stacks of errors' },
  { flags: '-q, --quiet', text: 'print errors only' },
]

/** A global flag as the help of a command has it: which outputs there are differs. */
export function globalFor(flag: Flag, def?: Command): Flag {
  if (flag.long !== '--output') return flag
  const formats = formatsOf(def)
  return new Flag(flag.flags, flag.description).choices(formats).default(formats[0])
}

/** The first word of a command line that is neither a global flag nor its value. */
export function commandWord(argv: readonly string[]): string | undefined {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!
    if (!word.startsWith('-')) return word
    const flag = globalOptions.find((o) => o.flags.split(/[ ,]+/).includes(word))
    if (flag?.flags.includes('<')) i++
  }
  return undefined
}

/** Where commander puts its value. */
const attributeOf = (o: Option): string => new Flag(o.flags).attributeName()

const isSelecting = (name: string): name is 'allNamespaces' | 'selector' =>
  name === 'allNamespaces' || name === 'selector'

/** Whether a command has this flag, by its name in camel case. */
export const hasFlag = (name: string, def?: Command): boolean =>
  !def || !isSelecting(name) || def.selects?.includes(name) === true

/** The global flags that a command takes. */
export const globalsFor = (def?: Command): readonly Option[] =>
  globalOptions.filter((o) => hasFlag(attributeOf(o), def))

/** What the flags say, or which of them says nothing. */
export function globalsOf(def: Command, flags: Flags): Result<Globals, CliFailure> {
  const timeout = durationFlag('request-timeout', textFlag(flags, 'requestTimeout') ?? '30s')
  if (!timeout.ok) return timeout
  const idle = globalOptions.find((o) => {
    const name = attributeOf(o)
    return flags[name] !== undefined && !hasFlag(name, def)
  })
  if (idle)
    return failed('E_USAGE', {
      problem: `lockstep ${def.name} does not accept ${idle.flags}`,
      suggestion: 'choose one namespace with -n',
    })
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
    suggestion: meant ? `did you mean ${meant}?` : `outputs: ${formats.join(', ')}`,
  })
}
