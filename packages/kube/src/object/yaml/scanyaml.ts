/**
 * The places of a document that is written as most are: one member or item a line, block or one-line flow style, no
 * anchors, no tags. Ten times as fast as a parser that knows all of YAML; of anything else it says that it does not know.
 */
import type { YamlTreeMember, YamlTreeNode } from './yamltreenode.ts'

interface YamlLine {
  readonly start: number
  /** Behind its text, before its line break. */
  readonly end: number
  readonly indent: number
  /** Nothing, or a comment. */
  readonly idle: boolean
  /** Nothing at all. */
  readonly blank: boolean
}

class Unusual extends Error {}

/** The tree of a document that can be read; undefined: ask somebody who knows more. */
export function scanYaml(text: string): YamlTreeNode | undefined {
  try {
    return new Scan(text).root()
  } catch (e) {
    if (e instanceof Unusual) return undefined
    throw e
  }
}

const KEY = /([A-Za-z_][\w./-]*|"[^"\\\n]*"|'[^'\n]*') *:(?=[ \r\n]|$)/y
/** To kubectl these keys are no texts. */
const ODD_KEY = /^(?:y|n|yes|no|on|off|true|false|null)$/i
const DOUBLE = /"(?:[^"\\\r\n]|\\.)*"/y
const SINGLE = /'(?:[^'\r\n]|'')*'/y
const FLOW_KEY = /([A-Za-z_][\w./-]*|"[^"\\\n]*"|'[^'\n]*') *:/y
const FLOW_PLAIN = /[^\s,[\]{}&*!|>%@`"'#?:-](?:[^,[\]{}\r\n:#]|:(?=[^ ,[\]{}\r\n])|(?<! )#)*/y
const NUMBER = /-?[0-9][0-9.]*(?= *[,\]}])/y
const PLAIN_START = /[^\s,[\]{}&*!|>%@`"'#?:-]|[?:-](?=\S)/y

class Scan {
  private readonly text: string
  private readonly lines: readonly YamlLine[]
  private at = 0

  constructor(text: string) {
    this.text = text
    this.lines = linesOf(text)
  }

  root(): YamlTreeNode {
    this.skipIdle()
    if (this.line && this.textOf(this.line).startsWith('---')) {
      if (!/^---[ \t]*(?:#.*)?$/.test(this.textOf(this.line))) throw new Unusual()
      this.at++
    }
    this.skipIdle()
    if (!this.line) throw new Unusual()
    const made = this.block(this.line.indent)
    this.skipIdle()
    if (this.line) throw new Unusual()
    return made
  }

  private get line(): YamlLine | undefined {
    return this.lines[this.at]
  }

  private textOf(l: YamlLine): string {
    return this.text.slice(l.start, l.end)
  }

  private skipIdle(): void {
    while (this.line?.idle) this.at++
  }

  /** What begins on the current line at this column. */
  private block(column: number): YamlTreeNode {
    const start = this.line!.start + column
    return this.isItem(start) ? this.list(column) : this.map(column, start)
  }

  private isItem(offset: number): boolean {
    return this.text[offset] === '-' && /[ \r\n]|^$/.test(this.text[offset + 1] ?? '')
  }

  private map(column: number, first: number): YamlTreeNode {
    const members: YamlTreeMember[] = []
    for (let offset = first; ; ) {
      members.push(this.memberAt(offset, column))
      this.skipIdle()
      if (!this.line || this.line.indent < column) break
      if (this.line.indent > column || this.isItem(this.line.start + column)) throw new Unusual()
      offset = this.line.start + column
    }
    return { kind: 'map', flow: false, start: first, end: endOf(members.at(-1)), members, items: [] }
  }

  private memberAt(offset: number, column: number): YamlTreeMember {
    KEY.lastIndex = offset
    const found = KEY.exec(this.text)
    if (!found || ODD_KEY.test(found[1]!)) throw new Unusual()
    const key = { start: offset, end: offset + found[1]!.length }
    const name = found[1]!.replace(/^["']|["']$/g, '')
    return { name, merges: false, key, value: this.valueBehind(offset + found[0].length, column, true) }
  }

  private list(column: number): YamlTreeNode {
    const start = this.line!.start + column
    const items: YamlTreeNode[] = []
    do {
      items.push(this.itemAt(this.line!.start + column, column))
      this.skipIdle()
    } while (this.line && this.line.indent === column && this.isItem(this.line.start + column))
    if (this.line && this.line.indent > column) throw new Unusual()
    return { kind: 'list', flow: false, start, end: items.at(-1)!.end, members: [], items }
  }

  private itemAt(dash: number, column: number): YamlTreeNode {
    let offset = dash + 1
    while (this.text[offset] === ' ') offset++
    KEY.lastIndex = offset
    if (KEY.test(this.text)) return this.map(offset - this.line!.start, offset)
    if (this.isItem(offset)) throw new Unusual()
    return this.valueBehind(dash + 1, column, false)
  }

  /** A value on the rest of the line, or on the lines below. */
  private valueBehind(from: number, column: number, mayDedent: boolean): YamlTreeNode {
    const { end } = this.line!
    let offset = from
    while (this.text[offset] === ' ') offset++
    if (offset < end && this.text[offset] !== '#') return this.inline(offset, column)
    this.at++
    this.skipIdle()
    const next = this.line
    if (next && next.indent > column) return this.block(next.indent)
    // A list may stand below its key without being indented.
    if (mayDedent && next?.indent === column && this.isItem(next.start + column)) return this.list(column)
    return scalar(from, from)
  }

  private inline(offset: number, column: number): YamlTreeNode {
    const char = this.text[offset]!
    if (char === '|' || char === '>') return this.literal(offset, column)
    const made = char === '{' || char === '[' ? this.flow(offset) : this.scalarAt(offset)
    if (!/^[ \t]*(?:#.*)?$/.test(this.text.slice(made.end, this.line!.end))) throw new Unusual()
    if (this.text[made.end] === '#') throw new Unusual()
    this.at++
    this.skipIdle()
    // The text goes on there.
    if (this.line && this.line.indent > column) throw new Unusual()
    return made
  }

  private scalarAt(offset: number): YamlTreeNode {
    const quoted = this.quoted(offset)
    if (quoted) return quoted
    PLAIN_START.lastIndex = offset
    if (!PLAIN_START.test(this.text)) throw new Unusual()
    const rest = this.text.slice(offset, this.line!.end)
    const text = rest.replace(/[ \t]#.*$/, '').trimEnd()
    if (/:(?=[ \t]|$)/.test(text)) throw new Unusual()
    return scalar(offset, offset + text.length)
  }

  private quoted(offset: number): YamlTreeNode | undefined {
    for (const pattern of [DOUBLE, SINGLE]) {
      pattern.lastIndex = offset
      const found = pattern.exec(this.text)
      if (found) return scalar(offset, offset + found[0].length)
    }
    if (this.text[offset] === '"' || this.text[offset] === "'") throw new Unusual()
    return undefined
  }

  /** `|` and `>`: all lines that are further in. */
  private literal(offset: number, column: number): YamlTreeNode {
    if (!/^[|>]-?[ \t]*(?:#.*)?$/.test(this.text.slice(offset, this.line!.end))) throw new Unusual()
    let last = this.at++
    for (; this.line && (this.line.blank || this.line.indent > column); this.at++)
      if (!this.line.blank) last = this.at
    return scalar(offset, this.lines[last + 1]?.start ?? this.text.length)
  }

  /** In one line. */
  private flow(offset: number): YamlTreeNode {
    const isMap = this.text[offset] === '{'
    const close = isMap ? '}' : ']'
    const members: YamlTreeMember[] = []
    const items: YamlTreeNode[] = []
    let here = this.spaces(offset + 1)
    while (this.text[here] !== close) {
      if (isMap) {
        const member = this.flowMember(here)
        members.push(member)
        here = this.spaces(member.value!.end)
      } else {
        const item = this.flowValue(here)
        items.push(item)
        here = this.spaces(item.end)
      }
      if (this.text[here] === ',') here = this.spaces(here + 1)
      else if (this.text[here] !== close) throw new Unusual()
    }
    return { kind: isMap ? 'map' : 'list', flow: true, start: offset, end: here + 1, members, items }
  }

  private flowMember(offset: number): YamlTreeMember {
    FLOW_KEY.lastIndex = offset
    const found = FLOW_KEY.exec(this.text)
    if (!found || ODD_KEY.test(found[1]!)) throw new Unusual()
    const behind = offset + found[0].length
    const isQuoted = /^["']/.test(found[1]!)
    if (!isQuoted && this.text[behind] !== ' ') throw new Unusual()
    const name = found[1]!.replace(/^["']|["']$/g, '')
    const key = { start: offset, end: offset + found[1]!.length }
    return { name, merges: false, key, value: this.flowValue(this.spaces(behind)) }
  }

  private flowValue(offset: number): YamlTreeNode {
    const char = this.text[offset]
    if (char === '{' || char === '[') return this.flow(offset)
    const quoted = this.quoted(offset)
    if (quoted) return quoted
    for (const pattern of [NUMBER, FLOW_PLAIN]) {
      pattern.lastIndex = offset
      const found = pattern.exec(this.text)
      if (found) return scalar(offset, offset + found[0].trimEnd().length)
    }
    throw new Unusual()
  }

  private spaces(offset: number): number {
    let here = offset
    while (this.text[here] === ' ') here++
    return here
  }
}

const scalar = (start: number, end: number): YamlTreeNode => ({
  kind: 'scalar',
  flow: false,
  start,
  end,
  members: [],
  items: [],
})

const endOf = (m: YamlTreeMember | undefined): number => m?.value?.end ?? m?.key.end ?? 0

function linesOf(text: string): YamlLine[] {
  const lines: YamlLine[] = []
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start)
    const next = feed < 0 ? text.length : feed + 1
    const end = feed < 0 ? text.length : text[feed - 1] === '\r' && feed > start ? feed - 1 : feed
    let first = start
    while (text[first] === ' ') first++
    if (text[first] === '\t' || text[start] === '\uFEFF' || text.startsWith('...', start)) throw new Unusual()
    const blank = first >= end
    lines.push({ start, end, indent: first - start, idle: blank || text[first] === '#', blank })
    start = next
  }
  return lines
}
