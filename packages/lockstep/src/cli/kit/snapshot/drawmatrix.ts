/** The matrix as lines. */
import { cut, padEnd, type Terminal, widthOf } from '../terminal/index.ts'
import { COLORS, GLYPHS, type MatrixCell, type MatrixRow } from './matrix.ts'

/** Undefined: it does not fit the width. */
export function drawMatrix(
  t: Terminal,
  rows: readonly MatrixRow[],
  clusters: readonly string[],
  width: number,
): string[] | undefined {
  const names = Math.min(24, Math.max(6, ...rows.map((r) => r.module.metadata.name.length)))
  const texts = rows.map((r) => r.cells.map(cellText))
  const columns = clusters.map((c, i) => Math.max(c.length, ...texts.map((row) => widthOf(row[i]!))))
  const total = 2 + names + columns.reduce((a, w) => a + w + 3, 0)
  if (total > width) return undefined
  const head = `  ${' '.repeat(names)}${clusters.map((c, i) => `   ${padEnd(c, columns[i]!)}`).join('')}`
  const lines = rows.map((row, r) => {
    const cells = row.cells.map((cell, i) => `   ${paint(t, cell, padEnd(texts[r]![i]!, columns[i]!))}`)
    return `  ${padEnd(cut(row.module.metadata.name, names), names)}${cells.join('')}`
  })
  return [t.paint('dim', head), ...lines].map((l) => l.trimEnd())
}

const cellText = (cell: MatrixCell): string => `${GLYPHS[cell.state]} ${cell.version}`.trimEnd()

function paint(t: Terminal, cell: MatrixCell, text: string): string {
  return t.paint(COLORS[cell.state], text)
}

/** `████▌      ` of `width` columns. */
export function bar(t: Terminal, part: number, total: number, width: number): string {
  const filled = total === 0 ? 0 : (part / total) * width
  const whole = Math.floor(filled)
  const half = whole < width && filled - whole >= 0.5 ? '▌' : ''
  const rest = '░'.repeat(width - whole - half.length)
  return t.paint('green', '█'.repeat(whole) + half) + t.paint('dim', rest)
}
