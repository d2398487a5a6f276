/** From arguments to a command: parsing, help, and errors that say what was probably meant. */
import { CommanderError, Option as Flag, Command as Program } from 'commander'
import { COMPLETE_COMMAND, kubectlAnswer } from './commands/completion/index.ts'
import {
  allCommands,
  commandNames,
  commandsFor,
  type FormerName,
  formerCommand,
  formerFlag,
} from './commands/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  commandHelp,
  commandWord,
  type Flags,
  failed,
  globalsBeside,
  globalsOf,
  type HostProcess,
  hubOptions,
  INTERRUPTED,
  logSettings,
  type Option,
  printFailure,
  programHelp,
} from './kit/index.ts'
import { asTyped, createTerminal, nearest, terminalStyleOf, toAscii } from './kit/terminal/index.ts'

/** Runs one command line; the exit code. */
export async function run(argv: readonly string[], host: HostProcess): Promise<number> {
  if (argv[0] === COMPLETE_COMMAND) return complete(argv.slice(1), host)
  const words = argv[0] === '--version' ? ['version'] : [...argv]
  const former = formerCommand(commandWord(argv) ?? '')
  if (former) return usageFailure(host, argv, former)
  const commands = await commandsFor(words[0])
  let code = 0
  const look = styleOf(host, undefined)
  const write = (text: string): void => {
    const typed = asTyped(look, text)
    host.stdout.write(look.unicode ? typed : toAscii(typed))
  }
  const program = createProgram(
    commands,
    write,
    async (def, args, flags) => {
      code = await execute(host, def, args, flags)
    },
    argv,
  )
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (e) {
    if (!(e instanceof CommanderError)) throw e
    if (e.exitCode === 0) return 0
    if (e.code === 'commander.help') {
      write(programHelp(commands, program))
      return 0
    }
    return usageError(host, argv, e, program, commands)
  }
  return code
}

/** A shell asks. What goes wrong is nobody's error here: then there is nothing to offer. */
async function complete(words: readonly string[], host: HostProcess): Promise<number> {
  const [commands, { answerCompletion }] = await Promise.all([
    allCommands(),
    import('./commands/completion/answercompletion.ts'),
  ])
  const look = styleOf(host, false)
  const terminal = createTerminal(look, { out: () => {}, err: () => {} })
  // A credential plugin must not ask below a command line that is being typed.
  const asker = { ...host, stdin: { ...host.stdin, isTty: false } }
  const log = logSettings({}, undefined)
  const env = await host.env(log)
  const found = await answerCompletion(commands, words, ({ command, flags }, enough) => {
    const names = ['namespace', 'kubeconfig', ...hubOptions.map((o) => new Flag(o.flags).attributeName())]
    const known = Object.fromEntries(names.map((name) => [name, flags[name]]))
    const globals = globalsOf(command ?? commands[0]!, known)
    const signal = AbortSignal.any([host.signal, enough])
    return globals.ok ? { host: asker, env, log, terminal, signal, globals: globals.value } : undefined
  })
  const answer = host.typedAs === undefined ? found : kubectlAnswer(found)
  host.stdout.write(look.unicode ? answer : toAscii(answer))
  return 0
}

type Execute = (def: Command, args: readonly string[], flags: Flags) => Promise<void>

/** The commands with their flags; `execute` gets what was understood. A flag of the command that `argv` names hides a global one. */
export function createProgram(
  commands: readonly Command[],
  write: (text: string) => void,
  execute: Execute,
  argv: readonly string[],
): Program {
  const addressed = commands.find((c) => c.name === commandWord(argv))
  const program = new Program('lockstep')
  program.exitOverride().showSuggestionAfterError(false).helpCommand(false)
  program.configureOutput({
    writeOut: write,
    writeErr: () => {},
    outputError: () => {},
  })
  for (const o of globalsBeside(addressed)) addOption(program, o)
  program.configureHelp({ formatHelp: () => programHelp(commands, program) })
  for (const def of commands) addCommand(program, def, execute)
  return program
}

function addCommand(program: Program, def: Command, execute: Execute): void {
  const sub = program.command(def.arguments ? `${def.name} ${def.arguments}` : def.name)
  sub.exitOverride().showSuggestionAfterError(false).description(def.summary)
  for (const o of def.options ?? []) addOption(sub, o)
  sub.configureHelp({ formatHelp: () => commandHelp(def, sub) })
  sub.action(async () => {
    const flags = sub.optsWithGlobals() as Flags
    await execute(def, sub.args, flags)
  })
}

function addOption(to: Program, o: Option): void {
  const flag = new Flag(o.flags, o.text)
  if (o.choices) flag.choices(o.choices)
  if (o.default !== undefined) flag.default(o.default)
  if (o.repeats) flag.argParser((value: string, all: string[] = []) => [...all, value])
  to.addOption(flag)
}

async function execute(
  host: HostProcess,
  def: Command,
  args: readonly string[],
  flags: Flags,
): Promise<number> {
  const look = styleOf(host, flags.color as boolean | undefined)
  const quiet = flags.quiet === true
  const terminal = createTerminal(look, {
    out: (text) => host.stdout.write(text),
    err: (text) => host.stderr.write(text),
  })
  const globals = globalsOf(def, flags)
  const asJson = flags.output === 'json'
  if (!globals.ok) return report(globals)
  const log = logSettings(flags, def.log)
  const context: CommandContext = {
    host,
    env: await host.env(log),
    log,
    terminal: quiet ? { ...terminal, talk: () => {} } : terminal,
    signal: host.signal,
    globals: globals.value,
  }
  return report(await def.run(context, args, flags))

  function report(outcome: CommandResult): number {
    if (outcome.ok) return outcome.value
    if (host.signal.aborted) return INTERRUPTED
    printFailure(terminal, outcome.error, asJson)
    return outcome.error.exit
  }
}

const styleOf = (host: HostProcess, color: boolean | undefined) =>
  terminalStyleOf({
    ...host.stdout,
    variables: host.variables,
    color,
    commands: commandNames,
    typedAs: host.typedAs,
  })

/** commander says what is wrong; we say what was probably meant. */
function usageError(
  host: HostProcess,
  argv: readonly string[],
  e: CommanderError,
  program: Program,
  commands: readonly Command[],
): number {
  const problem = e.message.replace(/^error: /, '').replace(/^(unknown \w+) '([^']*)'/, '$1 "$2"')
  const quoted = /'([^']*)'/.exec(e.message)?.[1] ?? ''
  const sub = program.commands.find((c) => argv.includes(c.name()))
  const former = e.code === 'commander.unknownOption' && formerFlag(sub?.name() ?? '', quoted)
  if (former) return usageFailure(host, argv, former)
  return usageFailure(host, argv, { problem, suggestion: suggestionFor(e, quoted, program, sub, commands) })
}

function usageFailure(
  host: HostProcess,
  argv: readonly string[],
  { problem, suggestion }: FormerName,
): number {
  const look = styleOf(host, argv.includes('--no-color') ? false : undefined)
  const terminal = createTerminal(look, { out: host.stdout.write, err: (text) => host.stderr.write(text) })
  const asJson = /(^| )(-o|--output)[ =]?json( |$)/.test(argv.join(' '))
  const failure = failed('E_USAGE', { problem, suggestion })
  printFailure(terminal, failure.error, asJson)
  return failure.error.exit
}

function suggestionFor(
  e: CommanderError,
  quoted: string,
  program: Program,
  sub: Program | undefined,
  commands: readonly Command[],
): string {
  const help = `for help, use lockstep ${sub ? `${sub.name()} ` : ''}--help`
  const choice = /argument '([^']*)' is invalid\. Allowed choices are (.*)\.$/.exec(e.message)
  if (choice) {
    const meant = nearest(choice[1]!, choice[2]!.split(', '))
    return meant ? `did you mean ${meant}?` : help
  }
  if (e.code === 'commander.missingArgument') {
    const def = commands.find((c) => c.name === sub?.name())
    const action = def?.actions?.find((a) => a.name === sub?.args[0])
    const example = (action ?? def)?.examples[0]?.[1]
    return example ? `for example: lockstep ${example}` : help
  }
  if (e.code === 'commander.unknownOption') {
    const name = quoted.replace(/=.*$/, '')
    const flags = [...(sub?.options ?? []), ...program.options].flatMap((o) => (o.long ? [o.long] : []))
    const meant = nearest(name, [...new Set(flags), '--help'])
    return meant ? `did you mean ${meant}?` : help
  }
  if (e.code === 'commander.unknownCommand' || (e.code === 'commander.excessArguments' && !sub)) {
    const meant = nearest(
      quoted,
      program.commands.map((c) => c.name()),
    )
    return meant ? `did you mean lockstep ${meant}?` : help
  }
  return help
}
