/** Measures JSON text before it is parsed. Texts come in pieces of any length. Pure. */
import { err } from '../env/result.ts'

/** Levels of nested objects and lists. Recursive functions overflow the stack at deeper values. */
const MAX_DEPTH = 512
/** Values of one answer: `[{},{}` takes 20 times its length in memory. */
const MAX_VALUES = 2_000_000

export interface AnswerFault {
  readonly problem: string
  /** A smaller part of the answer may be accepted. */
  readonly isTooLong: boolean
}

export const fault = (problem: string): { readonly ok: false; readonly error: AnswerFault } =>
  err({ problem, isTooLong: false })

/** `char`: code of a bracket, brace or comma outside of texts; `index`: where it is in the piece. */
type OnStructure = (char: number, index: number) => void

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])

export class JsonScanner {
  /** Levels that are open. */
  depth = 0
  private values = 0
  private isInText = false
  private isEscaped = false

  /** Every bracket of the text so far has its end. */
  get isComplete(): boolean {
    return this.depth === 0 && !this.isInText
  }

  /** `on` is called after `depth` has changed. */
  push(piece: string, on?: OnStructure): AnswerFault | undefined {
    for (let i = this.isInText ? this.endOfText(piece, 0) : 0; i < piece.length; i++) {
      const c = piece.charCodeAt(i)
      if (c === QUOTE) i = this.endOfText(piece, i + 1) - 1
      else if (OPENING.has(c)) {
        this.values++
        if (++this.depth > MAX_DEPTH) return { problem: `deeper than ${MAX_DEPTH} levels`, isTooLong: false }
        on?.(c, i)
      } else if (CLOSING.has(c)) {
        this.depth--
        on?.(c, i)
      } else if (c === COMMA) {
        this.values++
        on?.(c, i)
      }
      if (this.values > MAX_VALUES) return { problem: `over ${MAX_VALUES} values`, isTooLong: true }
    }
    return undefined
  }

  /** Index after the quote that ends a text; the length of the piece if none does. */
  private endOfText(piece: string, from: number): number {
    this.isInText = true
    for (let i = piece.indexOf('"', from); i >= 0; i = piece.indexOf('"', i + 1)) {
      if (this.isEscapedAt(piece, from, i)) continue
      this.isInText = false
      this.isEscaped = false
      return i + 1
    }
    this.isEscaped = this.isEscapedAt(piece, from, piece.length)
    return piece.length
  }

  /** An odd number of backslashes is before `at`. */
  private isEscapedAt(piece: string, from: number, at: number): boolean {
    let escapes = 0
    while (at - escapes > from && piece.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    const reachesBack = at - escapes === from && this.isEscaped
    return (escapes % 2 === 1) !== reachesBack
  }
}
