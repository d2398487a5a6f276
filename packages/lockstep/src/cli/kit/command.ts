/** What a command is: `commands/` has one file for each, `commands/registry.ts` one line. */
import type { Env, Result } from '@lockstep/kube/env'
import type { KubeconfigSelection } from '../../fleet/kubeconfig/index.ts'
import { type CliFailure, type CommandResult, failed } from './clifailure.ts'
import type { Terminal } from './terminal/index.ts'

/** The process, as commands may know it. */
export interface HostProcess {
  /** The folder with `examples`: the clone, or the installed package. */
  readonly root: string
  /** The `package.json` of Lockstep, beside `bin`. */
  readonly manifest: string
  /** The words that start the program, where they are not `lockstep`: `kubectl lockstep`. */
  readonly typedAs?: string
  readonly cwd: string
  readonly home: string
  /** Folder of the ServiceAccount in a Pod. */
  readonly serviceAccount: string
  readonly hostname: string
  /** Version of Node. */
  readonly node: string
  /** The program that is Node. */
  readonly execPath: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly stdout: {
    readonly isTty: boolean
    readonly columns: number | undefined
    readonly rows: number | undefined
    write(text: string): void
  }
  readonly stderr: { write(text: string): void }
  readonly stdin: {
    readonly isTty: boolean
    read(): Promise<string>
    /** Undefined: there was none. */
    line(signal: AbortSignal): Promise<string | undefined>
  }
  /** Writes to the terminal behind all redirections, if somebody sits at one. */
  readonly tty?: (text: string) => void
  /** Passes exceptions that no code has caught to a handler. Without a handler they end the process. */
  readonly onException?: (handler: (error: unknown) => void) => () => void
  /** Fires at the first SIGINT or SIGTERM; its reason is the name of the signal. */
  readonly signal: AbortSignal
  env(log: LogSettings): Promise<Env>
}

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export const LOG_FORMATS = ['json', 'text'] as const

type LogLevel = (typeof LOG_LEVELS)[number]

/** Lines on standard error. */
export interface LogSettings {
  readonly level: LogLevel | 'silent'
  readonly format: (typeof LOG_FORMATS)[number]
}

/** `usual`: level of the command without a flag. `-v` is the level `debug`. */
export function logSettings(flags: Flags, usual: LogLevel | undefined): LogSettings {
  const level = LOG_LEVELS.find((l) => l === flags.logLevel) ?? usual ?? 'silent'
  const format = LOG_FORMATS.find((f) => f === flags.logFormat) ?? 'json'
  return { level: isSet(flags, 'verbose') ? 'debug' : level, format }
}

export interface CommandContext {
  readonly host: HostProcess
  readonly env: Env
  readonly log: LogSettings
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly globals: Globals
}

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name' | 'tree' | 'dot' | 'mermaid' | 'sarif'

const FORMATS: readonly OutputFormat[] = ['table', 'wide', 'json', 'yaml', 'name']

/** What `-o` of a command takes; the first is what it prints without. */
export const formatsOf = (def?: Pick<Command, 'formats'>): readonly OutputFormat[] => def?.formats ?? FORMATS

export interface Globals {
  readonly namespace: string | undefined
  readonly allNamespaces: boolean
  /** Flags that choose and change the hub of the kubeconfig. */
  readonly hub: Omit<KubeconfigSelection, 'trust'>
  readonly kubeconfig: string | undefined
  readonly requestTimeoutMs: number
  readonly output: OutputFormat
  readonly selector: string | undefined
  readonly headers: boolean
  readonly verbose: boolean
  readonly quiet: boolean
}

export type Flags = Readonly<Record<string, unknown>>

/** What may stand somewhere, for shells that complete it. */
export type Completes =
  | 'checkTopic'
  | 'cluster'
  | 'clusterAction'
  | 'clusterOrContext'
  | 'context'
  | 'environment'
  | 'field'
  | 'file'
  | 'goal'
  | 'importSource'
  | 'importTopic'
  | 'kind'
  | 'module'
  | 'moduleTarget'
  | 'name'
  | 'namespace'
  | 'ownKind'
  | 'pipeline'
  | 'removalAction'
  | 'rendered'
  | 'rolloutAction'
  | 'set'
  | 'setKind'
  | 'shell'
  | 'story'
  | 'suspendable'
  | 'target'
  | 'unit'
  | 'view'
  | 'waiting'

export interface Option {
  /** As commander reads it: `-f, --filename <path>`. */
  readonly flags: string
  readonly text: string
  readonly default?: string
  readonly choices?: readonly string[]
  readonly completes?: Completes
  /** May be given several times. */
  readonly repeats?: boolean
}

/** What the first argument of a command chooses, with a page of help of its own. */
export interface CommandAction {
  readonly name: string
  readonly summary: string
  /** Those after it. */
  readonly arguments: string
  readonly detail?: string
  /** Of the command's options those that say something to it. */
  readonly options: readonly Option[]
  readonly examples: Command['examples']
}

export interface Command {
  readonly name: string
  /** The first line of its help. */
  readonly summary: string
  /** Arguments as commander reads them: `<kind> [name]`. */
  readonly arguments?: string
  /** What its arguments are, one after the other. */
  readonly completes?: readonly Completes[]
  readonly detail?: string
  readonly options?: readonly Option[]
  /** What for, and the command line without `lockstep`. */
  readonly examples: readonly (readonly [what: string, line: string])[]
  /** What its first argument may be. */
  readonly actions?: readonly CommandAction[]
  /** What `-o` takes, where it differs from other commands; the first is the default. */
  readonly formats?: readonly OutputFormat[]
  /** Takes -A, or -l: it looks at many objects. */
  readonly selects?: readonly ('allNamespaces' | 'selector')[]
  /** Level of the log on standard error without a flag. */
  readonly log?: LogLevel
  run(c: CommandContext, args: readonly string[], flags: Flags): Promise<CommandResult>
}

export const textFlag = (flags: Flags, name: string): string | undefined =>
  typeof flags[name] === 'string' ? (flags[name] as string) : undefined

export const listFlag = (flags: Flags, name: string): readonly string[] =>
  Array.isArray(flags[name]) ? (flags[name] as string[]) : []

export const isSet = (flags: Flags, name: string): boolean => flags[name] === true

/** A number in a range, or an error that says which flag and which range. */
export function numberFlag(
  flags: Flags,
  name: string,
  range: { readonly min: number; readonly max: number; readonly whole?: boolean },
): Result<number, CliFailure> {
  const text = String(flags[name])
  const n = Number(text)
  const isGood = text.trim() !== '' && n >= range.min && n <= range.max
  if (isGood && (Number.isInteger(n) || range.whole === false)) return { ok: true, value: n }
  return failed('E_USAGE', {
    problem: `--${name} ${text}: must be from ${range.min} to ${range.max}`,
    suggestion: `for example: --${name} ${range.min}`,
  })
}
