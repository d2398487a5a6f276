import { asTyped, type TerminalStyle } from './terminal.ts'
import { widthOf } from './texttable.ts'

/** Breaks between words into lines of `width` columns, to which the later ones add their indentation. */
export function wrap(text: string, width: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/ +/)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** A sentence as wide as the terminal; in a pipe it stays one line. */
export const fit = (look: TerminalStyle, text: string): string =>
  look.wraps ? wrap(asTyped(look, text), look.width - 2, 2) : text
