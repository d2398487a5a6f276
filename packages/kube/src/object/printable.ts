/**
 * Control characters and those that change the direction of text: a terminal acts on the first, and the second show a text in
 * another order than it has. C0 without tab and line feed, DEL, C1, and the marks of Unicode's bidirectional algorithm.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text of lines that is safe on a terminal and in a log: `\x1b` for an escape, `\u202e` beyond one byte. */
export const printableLines = (text: string): string => text.replace(UNSAFE, escaped)

/** A text of one line. What others wrote goes through it before a terminal, log, status or Event. */
export const printable = (text: string): string => printableLines(text).replace(/[\t\n]/g, escaped)

function escaped(character: string): string {
  const hex = character.charCodeAt(0).toString(16)
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`
}
