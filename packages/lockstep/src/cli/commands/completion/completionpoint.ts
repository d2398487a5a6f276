/** Where in a command line somebody stands: what the word under the cursor is to be. Pure. */
import {
  type Command,
  type Completes,
  type Flags,
  formatsOf,
  globalsFor,
  type Option,
} from '../../kit/index.ts'

export interface CompletionFlag {
  readonly long: string
  readonly short: string | undefined
  readonly text: string
  /** Undefined: it takes no value. */
  readonly value: ExpectedWord | undefined
}

/** What may stand somewhere. */
export interface ExpectedWord {
  readonly what?: Completes
  readonly words?: readonly string[]
}

export interface CompletionPoint {
  /** Undefined: the command itself is asked for. */
  readonly command: Command | undefined
  /** Arguments before the cursor. */
  readonly args: readonly string[]
  /** Flags before the cursor, by their names in code. */
  readonly flags: Flags
  readonly asked:
    | { readonly type: 'command' }
    | { readonly type: 'flag'; readonly known: readonly CompletionFlag[] }
    | { readonly type: 'value'; readonly wanted: ExpectedWord }
  /** The beginning of the word that is there. */
  readonly typed: string
  /** Before it in the same word: `--output=`. */
  readonly before: string
}

/** The flags of a command, its own first: those that say something to its action, where that is there. */
export function flagsOf(command: Command | undefined, first?: string): CompletionFlag[] {
  const action = command?.actions?.find((a) => a.name === first)
  const own = (action ?? command)?.options ?? []
  const flags = own.map((o) => flagOf(o, command))
  return [
    ...flags,
    ...globalsFor(command).map((o) => flagOf(o, command)),
    flagOf({ flags: '-h, --help', text: 'this text' }, command),
  ]
}

function flagOf(o: Option, command: Command | undefined): CompletionFlag {
  const [, short, long = '', placeholder] = /^(?:(-\w), )?(--[\w-]+)(?: <([^>]+)>)?/.exec(o.flags) ?? []
  const what = o.completes
  const words = long === '--output' ? formatsOf(command) : o.choices
  const value = { ...(what ? { what } : {}), ...(words ? { words } : {}) }
  return { long, short, text: o.text, value: placeholder === undefined ? undefined : value }
}

/** `words`: those after `lockstep`; the last one is under the cursor. */
export function pointOf(commands: readonly Command[], words: readonly string[]): CompletionPoint {
  const typed = words[words.length - 1] ?? ''
  const read = readWords(commands, words.slice(0, -1))
  const { command, args, flags, pending } = read
  const known = flagsOf(command, args[0])
  const at = (asked: CompletionPoint['asked'], word = typed, before = ''): CompletionPoint => ({
    command,
    args,
    flags,
    asked,
    typed: word,
    before,
  })
  if (pending?.value) return at({ type: 'value', wanted: pending.value })
  const [name = '', value] = splitOnce(typed)
  const given = value === undefined ? undefined : known.find((f) => f.long === name)
  if (given?.value) return at({ type: 'value', wanted: given.value }, value, `${name}=`)
  if (typed.startsWith('-'))
    return at({ type: 'flag', known: known.filter((f) => mayCome(f, flags, command)) })
  if (!command) return at({ type: 'command' })
  const what = command.completes?.at(
    /\.\.\.[\]>]$/.test(command.arguments ?? '')
      ? Math.min(args.length, command.completes.length - 1)
      : args.length,
  )
  return at({ type: 'value', wanted: what ? { what } : {} })
}

function splitOnce(word: string): [string, string | undefined] {
  const i = word.indexOf('=')
  return i < 0 ? [word, undefined] : [word.slice(0, i), word.slice(i + 1)]
}

const keyOf = (long: string): string => long.slice(2).replace(/-(\w)/g, (_, c: string) => c.toUpperCase())

function mayCome(f: CompletionFlag, flags: Flags, command: Command | undefined): boolean {
  const options = [...(command?.options ?? []), ...globalsFor(command)]
  const repeats = options.some((o) => o.repeats && o.flags.includes(f.long))
  return repeats || !(keyOf(f.long) in flags)
}

interface ReadWords {
  readonly command: Command | undefined
  readonly args: readonly string[]
  readonly flags: Flags
  /** A flag whose value has not come yet. */
  readonly pending: CompletionFlag | undefined
}

function readWords(commands: readonly Command[], words: readonly string[]): ReadWords {
  let command: Command | undefined
  let pending: CompletionFlag | undefined
  const args: string[] = []
  const flags: Record<string, unknown> = {}
  for (const word of words) {
    if (pending) {
      flags[keyOf(pending.long)] = word
      pending = undefined
      continue
    }
    const [name, value] = splitOnce(word)
    const flag = flagsOf(command).find((f) => f.long === name || f.short === word)
    if (flag?.value && value === undefined) pending = flag
    else if (flag) flags[keyOf(flag.long)] = value ?? true
    else if (word.startsWith('-')) continue
    else if (!command) command = commands.find((c) => c.name === word)
    else args.push(word)
  }
  return { command, args, flags, pending }
}
