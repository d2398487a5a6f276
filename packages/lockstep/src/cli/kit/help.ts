/** Help texts: the summary first, then usage, flags with their defaults, examples. */
import { Option as Flag, type Command as Program } from 'commander'
import type { Command, CommandAction } from './command.ts'
import { exampleText } from './exampletext.ts'
import { globalFor, hasFlag, hubOptions } from './globals.ts'
import { padEnd, wrap } from './terminal/index.ts'

const WIDTH = 80
/** commander keeps it apart from the others. */
const HELP_FLAG = new Flag('-h, --help', 'this text')

function flagLines(flags: readonly Flag[]): string[] {
  const terms = flags.map((f) => (f.short ? f.flags : `    ${f.flags}`))
  const column = Math.min(32, Math.max(0, ...terms.map((t) => t.length)) + 4)
  return flags.map((f, i) => {
    const fixed = f.defaultValue === undefined || f.defaultValue === false || Array.isArray(f.defaultValue)
    const choices = f.argChoices ? ` (${f.argChoices.join('|')})` : ''
    const standard = fixed ? '' : ` (default ${String(f.defaultValue)})`
    const text = wrap(`${f.description}${choices}${standard}`, WIDTH - column, column)
    const term = `  ${terms[i]}`
    return term.length + 2 <= column
      ? `${padEnd(term, column)}${text}`
      : `${term}\n${' '.repeat(column)}${text}`
  })
}

/** Help of one command, or of the action of it that is named. */
export function commandHelp(def: Command, sub: Program): string {
  const action = def.actions?.find((a) => a.name === sub.args[0])
  return action ? actionHelp(def, action, sub) : overview(def, sub)
}

function actionHelp(def: Command, action: CommandAction, sub: Program): string {
  const flags = action.options.map((o) => new Flag(o.flags, o.text))
  return [
    action.summary,
    '',
    `Usage: lockstep ${def.name} ${action.name} ${action.arguments} [flags]`,
    ...(action.detail ? ['', wrap(action.detail, WIDTH, 0)] : []),
    ...(flags.length > 0 ? ['', 'Flags:', ...flagLines(flags)] : []),
    ...globalLines(def, sub),
    ...exampleLines(action.examples),
  ].join('\n')
}

const HUB_FLAGS = new Set(hubOptions.map((o) => o.flags))
/** `--context` is on each page. */
const isOfHub = ({ flags, long }: Flag): boolean => HUB_FLAGS.has(flags) && long !== '--context'

function globalLines(def: Command, sub: Program): string[] {
  const globals = (sub.parent?.options ?? [])
    .filter((o) => hasFlag(o.attributeName(), def) && !isOfHub(o))
    .map((o) => globalFor(o, def))
  return [
    '',
    'Global flags:',
    ...flagLines([...globals, HELP_FLAG]),
    '',
    'lockstep --help lists the flags that choose the hub and its credential.',
  ]
}

const exampleLines = (examples: Command['examples']): string[] => [
  '',
  'Examples:',
  ...examples.flatMap(([what, line]) => [`  # ${what}`, exampleText(line, WIDTH)]),
  '',
]

/** Where there are actions, each says what its flags are. */
function actionLines({ name, actions = [] }: Command): string[] {
  const column = Math.max(0, ...actions.map((a) => a.name.length)) + 4
  const lines = actions.map((a) => `${padEnd(`  ${a.name}`, column)}${a.summary}`)
  return ['', 'Actions:', ...lines, '', `lockstep ${name} ACTION --help lists the flags of each.`]
}

function overview(def: Command, sub: Program): string {
  const usage = ['lockstep', def.name, def.arguments, '[flags]'].filter(Boolean).join(' ')
  const own = sub.options.filter((o) => !o.hidden)
  return [
    def.summary,
    '',
    `Usage: ${usage}`,
    ...(def.detail ? ['', ...def.detail.split('\n').map((l) => wrap(l, WIDTH, 0))] : []),
    ...(def.actions ? actionLines(def) : own.length > 0 ? ['', 'Flags:', ...flagLines(own)] : []),
    ...globalLines(def, sub),
    ...exampleLines(def.examples),
  ].join('\n')
}

/** Help of the program: what it is, and its commands. */
export function programHelp(commands: readonly Command[], program: Program): string {
  const column = Math.max(...commands.map((c) => c.name.length)) + 4
  return [
    'Exact versions of configuration on fleets of Kubernetes clusters, in order',
    '',
    'Usage: lockstep COMMAND [flags]',
    '',
    'Commands:',
    ...commands.map((c) => `${padEnd(`  ${c.name}`, column)}${c.summary}`),
    '',
    'Global flags:',
    ...flagLines([...program.options.filter((o) => !isOfHub(o)).map((o) => globalFor(o)), HELP_FLAG]),
    '',
    'Flags for the hub, as those of kubectl:',
    ...flagLines(program.options.filter(isOfHub)),
    '',
    'Exit codes: 0 success · 1 failed, blocked or different · 2 bad input',
    '3 unreachable or not authorized · 4 timeout · 130 interrupted',
    '',
    'Examples:',
    '  # Run a simulated fleet in half a minute',
    '  lockstep demo',
    '  # Serve a fleet on this machine',
    '  lockstep up',
    '  # Show the flags of one command',
    '  lockstep apply --help',
    '',
  ].join('\n')
}
