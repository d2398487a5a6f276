/** What a person sees: colors, glyphs and width follow the terminal; data never does. */
import { printableLines } from '@lockstep/kube/object'
import { toAscii } from './ascii.ts'

/** The facts that decide how to write. */
export interface Surroundings {
  readonly isTty: boolean
  readonly columns: number | undefined
  readonly variables: Readonly<Record<string, string | undefined>>
  /** `--color`, `--no-color`; absent: look at the surroundings. */
  readonly color: boolean | undefined
  /** Names of the commands, by which printed commands are found. */
  readonly commands?: readonly string[]
  /** The words that start the program, such as `kubectl lockstep`; absent: `npx lockstep` where npm runs it, else `lockstep`. */
  readonly typedAs?: string | undefined
}

export interface TerminalStyle {
  readonly color: boolean
  readonly unicode: boolean
  /** Frames may be drawn over each other. */
  readonly live: boolean
  /** Sentences are broken between words; in a pipe a line stays a line. */
  readonly wraps: boolean
  readonly width: number
  /** Finds commands in text, if they are typed with other words than `lockstep`. */
  readonly typed?: { readonly pattern: RegExp; readonly as: string }
}

const PIPED_WIDTH = 100

export function terminalStyleOf(s: Surroundings): TerminalStyle {
  const v = s.variables
  const typedAs = s.typedAs ?? (v.npm_command === 'exec' ? 'npx lockstep' : undefined)
  const isDumb = v.TERM === 'dumb'
  const locale = v.LC_ALL || v.LC_CTYPE || v.LANG || ''
  const forced = v.FORCE_COLOR !== undefined && v.FORCE_COLOR !== '' && v.FORCE_COLOR !== '0'
  const isWanted = s.isTty && !isDumb && (v.NO_COLOR ?? '') === ''
  return {
    color: s.color ?? (forced || isWanted),
    unicode: /utf-?8/i.test(locale),
    live: s.isTty && !isDumb && (v.CI ?? '') === '',
    wraps: s.isTty,
    width: s.isTty && s.columns ? s.columns : PIPED_WIDTH,
    ...(typedAs && s.commands ? { typed: { pattern: commandPattern(s.commands), as: typedAs } } : {}),
  }
}

/** `lockstep` before the name of a command, a placeholder or a flag. */
const commandPattern = (commands: readonly string[]): RegExp =>
  new RegExp(
    String.raw`(?<![\w./@:-]|(?:npx|kubectl)\s+)lockstep(?=\s+(?:(?:${commands.join('|')}|COMMAND)(?![\w.-])|--?\w))`,
    'g',
  )

/** Text whose commands can be typed as they are printed. */
export const asTyped = ({ typed }: TerminalStyle, text: string): string =>
  typed ? text.replace(typed.pattern, typed.as) : text

export type Color = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

const CODES: Readonly<Record<Color, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
}

export interface Terminal {
  readonly look: TerminalStyle
  /** Text for people on standard output. */
  print(text: string): void
  /** Exactly these bytes on standard output: what a program reads. */
  data(text: string): void
  /** Talk on standard error. */
  talk(text: string): void
  paint(color: Color, text: string): string
}

/** Text in which the styles of `paint` are the only control characters; where there are none, there is none. */
export const safe = ({ color }: TerminalStyle, text: string): string =>
  color
    ? text
        .split(STYLES)
        .map((part, i) => (i % 2 === 1 ? part : printableLines(part)))
        .join('')
    : printableLines(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with one
const STYLES = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/

export interface Writers {
  out(text: string): void
  err(text: string): void
}

export function createTerminal(look: TerminalStyle, writers: Writers): Terminal {
  const shown = (text: string): string => {
    const typed = asTyped(look, safe(look, text))
    return look.unicode ? typed : toAscii(typed)
  }
  return {
    look,
    print: (text) => writers.out(`${shown(text)}\n`),
    data: (text) => writers.out(text),
    talk: (text) => writers.err(`${shown(text)}\n`),
    paint: (color, text) =>
      look.color && text !== '' ? `\u001b[${CODES[color][0]}m${text}\u001b[${CODES[color][1]}m` : text,
  }
}
