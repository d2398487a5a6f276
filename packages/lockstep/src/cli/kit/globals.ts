/** The flags that every command has. */

import type { Result } from '@lockstep/kube/env'
import { Option as Flag } from 'commander'
import { type CliFailure, failed } from './clifailure.ts'
import {
  type Command,
  type Flags,
  formatsOf,
  type Globals,
  listFlag,
  type Option,
  type OutputFormat,
  textFlag,
} from './command.ts'
import { durationFlag } from './durationflag.ts'
import { nearest } from './terminal/index.ts'

/** Flags of kubectl that choose the hub of a kubeconfig, and replace parts of its credential. */
export const hubOptions: readonly Option[] = [
  { flags: '--context <name>', text: 'context of the kubeconfig', completes: 'context' },
  { flags: '--cluster <name>', text: 'cluster of the kubeconfig' },
  { flags: '--user <name>', text: 'user of the kubeconfig' },
  { flags: '--server <url>', text: 'address of the hub' },
  { flags: '--token <token>', text: 'bearer token for the hub' },
  { flags: '--as <user>', text: 'user to impersonate on the hub' },
  { flags: '--as-group <group>', text: 'group to impersonate; may be repeated', repeats: true },
  { flags: '--as-uid <uid>', text: 'UID to impersonate' },
  { flags: '--certificate-authority <file>', text: 'CA of the hub', completes: 'file' },
  { flags: '--client-certificate <file>', text: 'client certificate for the hub', completes: 'file' },
  { flags: '--client-key <file>', text: 'key of the client certificate', completes: 'file' },
  { flags: '--insecure-skip-tls-verify', text: "do not verify the hub's certificate" },
  { flags: '--tls-server-name <name>', text: "name in the hub's certificate" },
]

export const globalOptions: readonly Option[] = [
  {
    flags: '-n, --namespace <name>',
    text: 'namespace; default: that of the context',
    completes: 'namespace',
  },
  { flags: '-A, --all-namespaces', text: 'all namespaces' },
  {
    flags: '--kubeconfig <file>',
    text: 'kubeconfig file; default: KUBECONFIG, ~/.kube/config, or the account of the Pod',
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
  ...hubOptions,
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

const longOf = ({ flags }: Option): string | undefined => new Flag(flags).long

/** Global flags whose name no flag of the command has: `--cluster` of `why` is a cluster of the fleet. */
export const globalsBeside = (def?: Command): readonly Option[] => {
  const own = new Set(def?.options?.map(longOf))
  return globalOptions.filter((o) => !own.has(longOf(o)))
}

/** The global flags that a command takes. */
export const globalsFor = (def?: Command): readonly Option[] =>
  globalsBeside(def).filter((o) => hasFlag(attributeOf(o), def))

/** Changes of the hub by flags. */
function hubFlagsOf(def: Command, flags: Flags): Globals['hub'] {
  const names = new Set(globalsBeside(def).map(attributeOf))
  const text = (name: string) => (names.has(name) ? textFlag(flags, name) : undefined)
  const groups = listFlag(flags, 'asGroup')
  const given = {
    ...Object.fromEntries(hubOptions.map(attributeOf).map((name) => [name, text(name)])),
    asGroups: groups.length > 0 ? groups : undefined,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify === true ? true : undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

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
      hub: hubFlagsOf(def, flags),
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
