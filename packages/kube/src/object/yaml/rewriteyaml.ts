/**
 * A document changed in place: only the bytes of what differs are written; comments, order, quotes, line ends stay. The
 * printer of a YAML library would write all of it anew, and `010` as `10`, which is another value.
 */
import { encodeJson } from '../encode.ts'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, jsonEqual } from '../json.ts'
import { encodeYaml, parseYamlStream } from './yaml.ts'
import { ownMember, YamlTree } from './yamltree.ts'
import type { YamlTreeNode } from './yamltreenode.ts'

export interface Rewritten {
  readonly text: string
  /** False: its anchors or its layout do not let it be changed in place; it was written anew, without its comments. */
  readonly inPlace: boolean
}

/** The text of one document, which reads as `before`, so that it reads as `after`. Making a tree costs most: give it if there is one. */
export function rewriteYaml(
  text: string,
  before: JsonValue,
  after: JsonValue,
  tree: YamlTree = new YamlTree(text),
): Rewritten {
  if (jsonEqual(before, after)) return { text, inPlace: true }
  const edited = new YamlEdit(text).made(tree, before, after)
  if (edited !== undefined && readsAs(edited, after)) return { text: edited, inPlace: true }
  return { text: anew(text, after), inPlace: false }
}

function readsAs(text: string, value: JsonValue): boolean {
  try {
    const read = parseYamlStream(text)
    return read.length === 1 && jsonEqual(read[0], value)
  } catch {
    return false
  }
}

/** What stands before the first value stays: the marker, and comments that say where it comes from. */
const HEAD = /^\uFEFF?(?:%[^\n]*\n)*(?:---[ \t]*(?:#[^\n]*)?(?:\n|$))?(?:[ \t]*(?:#[^\n]*)?\r?\n)*/

function anew(text: string, value: JsonValue): string {
  const head = HEAD.exec(text)?.[0] ?? ''
  const marked = /^---/m.test(head) || !/^\uFEFF?---/.test(text) ? head : `${head}---\n`
  return `${marked}${encodeYaml(value)}`.replaceAll(/\r?\n/g, endOf(text))
}

const endOf = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n')

/** Texts longer than this are folded over several lines. */
const WIDTH = 100

interface YamlPiece {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Something is written in a way that this file does not know how to change. */
class CannotEdit extends Error {}

class YamlEdit {
  private readonly text: string
  private readonly eol: string
  /** In the order in which they were found: of two at one place the inner one comes first. */
  private readonly pieces: YamlPiece[] = []

  constructor(text: string) {
    this.text = text
    this.eol = endOf(text)
  }

  made({ root }: YamlTree, before: JsonValue, after: JsonValue): string | undefined {
    try {
      if (root === null) return undefined
      this.change(root, before, after, false)
    } catch (e) {
      if (e instanceof CannotEdit) return undefined
      throw e
    }
    let [out, at] = ['', 0]
    for (const p of this.pieces.toSorted((a, b) => a.start - b.start)) {
      if (p.start < at) return undefined
      out += this.text.slice(at, p.start) + p.text
      at = p.end
    }
    return out + this.text.slice(at)
  }

  private change(node: YamlTreeNode, before: JsonValue, after: JsonValue, inFlow: boolean): void {
    const flow = inFlow || node.flow
    if (node.kind === 'map' && isObject(before) && isObject(after)) this.members(node, before, after, flow)
    else if (node.kind === 'list' && isArray(before) && isArray(after)) this.items(node, before, after, flow)
    else throw new CannotEdit()
  }

  private members(map: YamlTreeNode, before: JsonObject, after: JsonObject, flow: boolean): void {
    if (Object.keys(before).some((k) => after[k] === undefined)) throw new CannotEdit()
    const added: [string, JsonValue][] = []
    for (const [name, value] of Object.entries(after)) {
      if (value === undefined || jsonEqual(before[name], value)) continue
      const own = ownMember(map, name)
      // What is merged is overruled by a member of its own.
      if (!own) added.push([name, value])
      else this.value(own.value, before[name]!, value, flow, (v, w) => member(name, v, w))
    }
    if (added.length === 0) return
    if (flow)
      this.addInFlow(
        map,
        added.map(([k, v]) => `${flowKey(k)}: ${flowText(v)}`),
        '{}',
      )
    else
      this.addLines(
        map,
        added.map(([k, v]) => line(k, v, WIDTH)),
      )
  }

  private items(list: YamlTreeNode, before: JsonArray, after: JsonArray, flow: boolean): void {
    if (after.length < before.length) throw new CannotEdit()
    before.forEach((old, i) => {
      if (!jsonEqual(old, after[i])) this.value(list.items[i] ?? null, old, after[i]!, flow, item)
    })
    const added = after.slice(before.length)
    if (added.length === 0) return
    if (flow) this.addInFlow(list, added.map(flowText), '[]')
    else
      this.addLines(
        list,
        added.map((v) => encodeYaml([v], WIDTH)),
      )
  }

  /** Collections are gone into; everything else is replaced as a whole. */
  private value(
    node: YamlTreeNode | null,
    before: JsonValue,
    after: JsonValue,
    flow: boolean,
    written: (value: JsonValue, width: number) => string,
  ): void {
    const isKept =
      (node?.kind === 'map' && isObject(before) && isObject(after)) ||
      (node?.kind === 'list' && isArray(after))
    if (node && isKept && sizeOf(node) > 0) {
      this.change(node, before, after, flow)
      return
    }
    if (!node) throw new CannotEdit()
    const { start, end } = node
    const inFlow = flow || isCollection(node)
    const text = inFlow
      ? flowText(after)
      : this.laidOut(written(after, this.hasComment(end) ? -1 : WIDTH), start)
    const breakAtEnd = this.text[end - 1] === '\n' && end > start ? this.eol : ''
    const isBehindColon = start === end || text.startsWith(this.eol)
    const from = text.startsWith(this.eol) ? this.text.slice(0, start).trimEnd().length : start
    this.pieces.push({
      start: from,
      end,
      text: `${isBehindColon && !text.startsWith(this.eol) ? ' ' : ''}${text}${breakAtEnd}`,
    })
  }

  private hasComment(end: number): boolean {
    return /^[ \t]+#/.test(this.text.slice(end, end + 200))
  }

  /** Lines indented as the line on which `offset` is. */
  private laidOut(text: string, offset: number): string {
    const line = this.text.slice(this.text.lastIndexOf('\n', offset - 1) + 1, offset)
    const column = /^(?: |- )*/.exec(line)?.[0].length ?? 0
    return this.indented(text.trimEnd(), column)
  }

  private indented(text: string, column: number): string {
    return text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(column)}`).replaceAll('\n', this.eol)
  }

  /** Whole lines behind the last one of a block. */
  private addLines(to: YamlTreeNode, encoded: readonly string[]): void {
    const column = this.columnOf(to)
    const end = endOfBlock(to)
    const lines = encoded.map((text) => ' '.repeat(column) + this.indented(text.trimEnd(), column))
    if (this.text[end - 1] === '\n') {
      this.pieces.push({ start: end, end, text: lines.map((l) => l + this.eol).join('') })
      return
    }
    const rest = /[^\r\n]*/y
    rest.lastIndex = end
    const at = end + (rest.exec(this.text)?.[0].length ?? 0)
    this.pieces.push({ start: at, end: at, text: lines.map((l) => this.eol + l).join('') })
  }

  private columnOf(to: YamlTreeNode): number {
    const start = to.kind === 'map' ? to.members[0]?.key.start : to.start
    if (start === undefined || sizeOf(to) === 0) throw new CannotEdit()
    return start - (this.text.lastIndexOf('\n', start - 1) + 1)
  }

  private addInFlow(to: YamlTreeNode, encoded: readonly string[], brackets: string): void {
    const text = encoded.join(', ')
    if (sizeOf(to) === 0) {
      const { start, end } = to
      this.pieces.push({ start, end, text: `${brackets[0]}${text}${brackets[1]}` })
      return
    }
    const at = endInside(to)
    this.pieces.push({ start: at, end: at, text: `, ${text}` })
  }
}

const keyText = (name: string): string => encodeYaml({ [name]: 0 }).slice(0, -' 0\n'.length)

const line = (name: string, value: JsonValue, width: number): string =>
  isFoldable(value, width) ? `${keyText(name)} ${folded(value, width)}` : encodeYaml({ [name]: value }, width)

const member = (name: string, value: JsonValue, width: number): string =>
  line(name, value, width).slice(keyText(name).length).replace(/^ /, '')

/** Words with one space between them: the printer would do the same, after looking four times at each character. */
const WORDS = /^[!-~]+(?: [!-~]+)*$/

const isFoldable = (value: JsonValue, width: number): value is string =>
  typeof value === 'string' && width > 0 && value.length > width && WORDS.test(value)

function folded(text: string, width: number): string {
  const lines = ['>-']
  let here = ''
  for (const word of text.split(' ')) {
    if (here !== '' && here.length + 1 + word.length > width - 2) {
      lines.push(`  ${here}`)
      here = word
    } else here = here === '' ? word : `${here} ${word}`
  }
  return `${lines.join('\n')}\n  ${here}\n`
}

const WORD = /^[A-Za-z][\w./-]*$/

const item = (value: JsonValue, width: number): string => encodeYaml([value], width).slice('- '.length)

/** As JSON; a word that is a text to everybody goes without quotes. */
const flowText = (value: JsonValue): string =>
  typeof value === 'string' && WORD.test(value) && encodeYaml(value).trim() === value
    ? value
    : encodeJson(value)

const flowKey = (name: string): string => (WORD.test(name) ? name : encodeJson(name))

const isCollection = (node: YamlTreeNode): boolean => node.kind === 'map' || node.kind === 'list'

const sizeOf = (node: YamlTreeNode): number => node.members.length + node.items.length

/** Behind the last value that is in it; of a member without a value, behind its key. */
function endInside(of: YamlTreeNode): number {
  const last = of.members.at(-1)
  return of.items.at(-1)?.end ?? last?.value?.end ?? last?.key.end ?? of.end
}

/** Behind the last line of a block: a value of that line ends there. */
function endOfBlock(node: YamlTreeNode): number {
  const last = node.flow ? undefined : (node.items.at(-1) ?? node.members.at(-1)?.value)
  return last ? endOfBlock(last) : node.flow || sizeOf(node) === 0 ? node.end : endInside(node)
}
