/** Pieces of a page that people read: paragraphs, list items, headings and table cells, without code. */

/** Stands for each character of code: no white space and no letter, so that a code span counts as one word. */
const CODE = '\uFFFC'
const hidden = (found) => found.replace(/[^\n]/g, CODE)
const blank = (found) => found.replace(/[^\n]/g, ' ')

/** Text of the same length with code spans hidden. */
export const maskCode = (text) =>
  text.includes('`') ? text.replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])*?(?<!`)\1(?!`)/g, hidden) : text

const maskInline = (text) =>
  maskCode(text)
    .replace(/(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, hidden)
    .replace(/<?https?:\/\/[^\s)>]+>?/g, hidden)

const FENCE = /^[\s>]*(`{3,}|~{3,})/
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/
const RULER = /^[\s|:-]+$/

/** Lines with their offsets; front matter and HTML comments are blank. */
function* linesOf(page) {
  const text = page.replace(/^---\n[\s\S]*?\n---(?=\n)/, blank).replace(/<!--[\s\S]*?-->/g, blank)
  let at = 0
  for (const line of text.split('\n')) {
    yield { line, at }
    at += line.length + 1
  }
}

/** Cells of a row; a bar that is escaped does not end one. */
function* cellsOf(line, at) {
  for (const { 0: cell, index } of line.matchAll(/(?:\\.|[^|\\])+/g))
    if (cell.trim() !== '') yield { kind: 'cell', at: at + index, text: maskInline(cell) }
}

/** Pieces as `{ surface, kind, at, text }`; kinds are `prose`, `heading` and `cell`. */
export function pagePieces(page) {
  const pieces = []
  let fence
  let isInList = false
  let open
  const end = () => {
    if (open !== undefined) pieces.push({ ...open, text: maskInline(open.text) })
    open = undefined
  }
  for (const { line, at } of linesOf(page)) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined || mark !== undefined) {
      end()
      if (fence === undefined) fence = mark
      else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (line.trim() === '') end()
    else if (/^\s*\|/.test(line)) {
      end()
      if (!RULER.test(line)) pieces.push(...cellsOf(line, at))
    } else if (/^#{1,6}\s/.test(line)) {
      end()
      pieces.push({ kind: 'heading', at, text: maskInline(line.replace(/^#+/, blank)) })
      isInList = false
    } else if (ITEM.test(line)) {
      end()
      isInList = true
      open = { kind: 'prose', at, text: line.replace(ITEM, blank) }
    } else if (open !== undefined) open.text += `\n${line.replace(/^[\s>]+/, blank)}`
    else if (isInList || !/^(?: {4}|\t)/.test(line)) {
      isInList &&= /^\s/.test(line)
      open = { kind: 'prose', at, text: line.replace(/^[\s>]+/, blank) }
    }
  }
  end()
  return pieces.map((p) => ({ surface: 'markdown', ...p }))
}
