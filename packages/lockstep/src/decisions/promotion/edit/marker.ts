/** Values with a comment behind them that names the pipeline and environment: `# {"$promotion": "ns:pipeline:env"}`. */
import { ok, type Result } from '@lockstep/kube/env'
import { isString, member } from '@lockstep/kube/object'
import type { FactsOf } from '../../../api/reasons/index.ts'
import type { EditRefusal } from './editresult.ts'
import type { FoundScalar } from './edittarget.ts'
import { type ImagePart, PARTS } from './imagepart.ts'
import type { YamlDocument } from './yamldocument.ts'
import type { YamlFile } from './yamlfile.ts'
import { type EditYamlNode, isLeaf, touching, type YamlBranch, type YamlLeaf } from './yamlnode.ts'

export const MARKER_KEY = '$promotion'

/** As it stands in a comment. */
export const markerText = (marker: string): string =>
  JSON.stringify({ [MARKER_KEY]: marker }).replace(':', ': ')

/**
 * All values that are marked. Documents without a marker of this environment are not read: what is wrong with them is
 * nobody's business here.
 */
export function markedValues(file: YamlFile, marker: string): Result<FoundScalar, EditRefusal>[] {
  const found: Result<FoundScalar, EditRefusal>[] = []
  for (const line of linesWith(file.source.text, marker)) {
    const document = file.documentAt(line.start)
    const one = document.ok ? markedIn(document.value, line, marker) : document
    if (!one.ok) found.push(one)
    else if (one.value) found.push(ok(one.value))
  }
  return found
}

interface CommentLine {
  readonly start: number
  readonly end: number
}

function linesWith(text: string, marker: string): CommentLine[] {
  const lines: CommentLine[] = []
  for (let at = text.indexOf(MARKER_KEY); at >= 0; ) {
    const start = text.lastIndexOf('\n', at) + 1
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    if (text.slice(start, end).includes(marker)) lines.push({ start, end })
    at = text.indexOf(MARKER_KEY, end)
  }
  return lines
}

function markedIn(
  document: YamlDocument,
  line: CommentLine,
  marker: string,
): Result<FoundScalar | undefined, EditRefusal> {
  const { source } = document
  const hash = commentOf(document, line)
  if (hash === undefined) return inText(document, line, marker)
  const said = sentence(source.text.slice(hash, line.end), marker)
  if (said === undefined) return ok(undefined)
  if ('problem' in said) return source.refused(hash, said.problem)
  const leaf = leafBefore(document, line, hash)
  return leaf.ok ? ok({ document, leaf: leaf.value, ...(said.part ? { part: said.part } : {}) }) : leaf
}

/** Where the comment of a line begins: the first `#` behind a blank that is not in a text. */
function commentOf({ source, leaves, keys }: YamlDocument, { start, end }: CommentLine): number | undefined {
  const texts = [...touching(leaves, start, end), ...touching(keys, start, end)]
  for (const found of source.text.slice(start, end).matchAll(/(?<=^\uFEFF?|[ \t])#/g)) {
    const at = start + found.index
    if (!texts.some((t) => t.start < at && at < t.end)) return at
  }
  // Behind the `|` of a block text, which the reader counts as part of it.
  const block = texts.find((t) => t.kind === 'block' && t.start > start)
  const hash = block ? source.text.slice(block.start, end).search(/(?<=[ \t])#/) : -1
  return hash < 0 ? undefined : block!.start + hash
}

type MarkerContent = { readonly part?: ImagePart } | { readonly problem: FactsOf<'EditRefused'> }

/** What a comment says to this environment; undefined: nothing. All of it is JSON, or it is prose. */
function sentence(comment: string, marker: string): MarkerContent | undefined {
  const text = comment.replace(/^#+/, '').trim()
  if (!text.startsWith('{')) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { problem: { because: 'MarkerSyntax', name: markerText(marker) } }
  }
  const value = member(json, MARKER_KEY)
  if (!isString(value)) return undefined
  if (value === marker) return {}
  if (!value.startsWith(`${marker}:`)) return undefined
  const part = value.slice(marker.length + 1)
  const known = PARTS.find((p) => p === part)
  return known
    ? { part: known }
    : { problem: { because: 'MarkerPart', name: part, parts: PARTS.map((p) => `:${p}`) } }
}

/** A marker in a block text is none to anybody, and looks like one. */
function inText(document: YamlDocument, line: CommentLine, marker: string): Result<undefined, EditRefusal> {
  const { source } = document
  const text = source.text.slice(line.start, line.end)
  const isBlock = document.leaves.some(
    (l) => l.kind === 'block' && l.start < line.start && line.start < l.end,
  )
  const hash = isBlock ? text.search(/(?<=^|[ \t])#[ \t]*\{/) : -1
  if (hash < 0 || sentence(text.slice(hash), marker) === undefined) return ok(undefined)
  return source.refused(line.start + hash, { because: 'MarkerInText' })
}

/** The one value that ends on the line of a comment. */
function leafBefore(document: YamlDocument, line: CommentLine, hash: number): Result<YamlLeaf, EditRefusal> {
  const { source, leaves } = document
  const ended = touching(leaves, line.start, hash).filter((l) => {
    const end = endOf(l, source.text)
    return line.start < end && end <= hash
  })
  const unclear = (n: number) =>
    source.refusedBy('PromotionTargetAmbiguous', hash, { because: 'Values', count: n })
  const [leaf] = ended
  if (leaf === undefined) return source.refused(hash, { because: 'MarkerAlone' })
  if (ended.length > 1) return unclear(ended.length)
  const closed = outermost(leaf, hash)
  const values = closed ? leavesOf(closed) : 1
  return values > 1 ? unclear(values) : ok(leaf)
}

/** Of a block text the line with its `|` counts: there its comment is. */
const endOf = (leaf: YamlLeaf, text: string): number => {
  if (leaf.kind !== 'block') return leaf.end
  const end = text.slice(leaf.start, leaf.end).search(/[ \t\r\n]/)
  return end < 0 ? leaf.end : leaf.start + end
}

/** The outermost brackets around a value that are closed before an offset. */
function outermost(leaf: YamlLeaf, before: number): YamlBranch | undefined {
  let found: YamlBranch | undefined
  for (let here = leaf.above; here?.isInBrackets; here = here.above) if (here.end <= before) found = here
  return found
}

const leavesOf = (node: EditYamlNode): number =>
  isLeaf(node)
    ? 1
    : [...node.items, ...node.members.map((m) => m.value)].reduce((sum, n) => sum + leavesOf(n), 0)
