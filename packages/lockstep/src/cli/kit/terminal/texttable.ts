/** Tables as kubectl prints them: widths by content, three spaces apart, cut at the width of the terminal. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with one
const ESCAPES = /\u001b\[\d+m/g

/** Columns that a text takes on the screen. */
export const widthOf = (text: string): number => [...text.replace(ESCAPES, '')].length

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Cuts to `width` columns; what is cut ends in `…`. Colours are dropped from what is cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ''
  return `${[...text.replace(ESCAPES, '')].slice(0, width - 1).join('')}…`
}

export interface TextTableOptions {
  /** Absent: nothing is cut. */
  readonly width?: number
  readonly gap?: number
  readonly indent?: number
}

/** Rows of cells as lines. The widest column gives way first when a row does not fit. */
export function textTable(rows: readonly (readonly string[])[], o: TextTableOptions = {}): string[] {
  const gap = o.gap ?? 3
  const indent = ' '.repeat(o.indent ?? 0)
  const count = Math.max(0, ...rows.map((r) => r.length))
  const widths = Array.from({ length: count }, (_, i) =>
    Math.max(0, ...rows.map((r) => widthOf(oneLine(r[i] ?? '')))),
  )
  if (o.width !== undefined) shrink(widths, o.width - indent.length - gap * (count - 1))
  return rows.map((row) => {
    const cells = widths.map((w, i) => padEnd(cut(oneLine(row[i] ?? ''), w), w))
    return (indent + cells.join(' '.repeat(gap))).trimEnd()
  })
}

const MIN_CELL = 6

/** Takes columns off the widest cells until the row fits. Names and numbers keep most: long texts are the first to give. */
function shrink(widths: number[], room: number): void {
  let over = widths.reduce((a, b) => a + b, 0) - room
  while (over > 0) {
    let widest = -1
    for (let i = 0; i < widths.length; i++)
      if (widths[i]! > MIN_CELL && (widest < 0 || weight(widths, i) >= weight(widths, widest))) widest = i
    if (widest < 0) return
    widths[widest]!--
    over--
  }
}

/** So narrow a column is a number, a state or a version: cut it says nothing. */
const NARROW = 10

/** Sentences come last, or second to last beside an age: of them more is worth reading. Names come first. */
function weight(widths: readonly number[], i: number): number {
  const width = widths[i]!
  if (width <= NARROW) return width / 10
  if (i === 0) return width / 6
  return i >= widths.length - 2 ? width / 2 : width
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ')
