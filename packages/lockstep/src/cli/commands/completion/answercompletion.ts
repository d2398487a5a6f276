/** Answers a shell that asks what a word may become. */
import type { Command, CommandContext } from '../../kit/index.ts'
import { cut } from '../../kit/terminal/index.ts'
import { type CompletionCandidate, candidatesOf, FILES } from './candidates.ts'
import { createCompletionNames } from './completionnames.ts'
import { type CompletionPoint, pointOf } from './completionpoint.ts'

/** Somebody waits with a finger on the key. */
const MOST_MS = 1000

/** One candidate a line, its text behind a tab; or `:files`. */
export async function answerCompletion(
  commands: readonly Command[],
  words: readonly string[],
  contextFor: (p: CompletionPoint, signal: AbortSignal) => CommandContext | undefined,
): Promise<string> {
  const p = pointOf(commands, words)
  const enough = new AbortController()
  const c = contextFor(p, enough.signal)
  if (!c) return ''
  const cancel = c.env.clock.at(c.env.clock.steady() + MOST_MS, () => enough.abort())
  const found = await candidatesOf(commands, p, createCompletionNames(c))
  cancel()
  if (found === FILES) return `:${FILES}\n`
  return found.map(lineOf).join('')
}

/** Shells list one below the other: what does not fit beside the word says little. */
const TEXT_WIDTH = 60

const lineOf = ({ word, text }: CompletionCandidate): string =>
  `${word}${text === undefined ? '' : `\t${cut(text.replace(/\s+/g, ' '), TEXT_WIDTH)}`}\n`
