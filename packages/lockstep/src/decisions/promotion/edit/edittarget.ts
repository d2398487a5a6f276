/** Scalars that an edit means: whether they may be changed, and what is then written. */
import { ok, type Result } from '@lockstep/kube/env'
import { at } from '@lockstep/kube/object'
import type { FactsOf } from '../../../api/reasons/index.ts'
import type { EditRefusal } from './editresult.ts'
import { type ImagePart, partProblem, withPart } from './imagepart.ts'
import { writeScalar } from './scalar.ts'
import type { YamlDocument } from './yamldocument.ts'
import type { EditYamlNode, YamlBranch, YamlLeaf } from './yamlnode.ts'

/** A scalar that was found. */
export interface FoundScalar {
  readonly document: YamlDocument
  readonly leaf: YamlLeaf
  /** Of the image that it is; absent: all of it. */
  readonly part?: ImagePart
}

/** A piece of a file to be written anew; nothing is written where it is the same already. */
export interface EditTarget {
  readonly document: YamlDocument
  readonly start: number
  /** As `start` where something is added. */
  readonly end: number
  readonly before: string
  readonly after: string
  /** What every reader then has to read there. */
  readonly value: string
}

export function editTargetOf(
  { document, leaf, part }: FoundScalar,
  value: string,
): Result<EditTarget, EditRefusal> {
  const { source } = document
  const why = unchangeable(document, leaf)
  if (why) return source.refused(why.at, why.facts)
  const anchor = sharedAnchor(document, leaf)
  if (anchor) return source.refusedBy('PromotionTargetAmbiguous', leaf.start, anchor)
  const made = part === undefined ? ok(value) : imageWith(document, leaf, part, value)
  if (!made.ok) return made
  const { start, end } = leaf
  const before = source.text.slice(start, end)
  const quotes = source.path.endsWith('.json') ? 'double' : leaf.quotes
  const after = writeScalar(made.value, quotes, isInBrackets(leaf))
  // Other escapes of the same text stay.
  const isThere = leaf.text === made.value && (leaf.quotes !== 'none' || before === after)
  return ok({ document, start, end, before, after: isThere ? before : after, value: made.value })
}

function imageWith(
  document: YamlDocument,
  leaf: YamlLeaf,
  part: ImagePart,
  value: string,
): Result<string, EditRefusal> {
  const { source } = document
  const problem = partProblem(value, part)
  if (problem !== undefined) return source.refused(leaf.start, problem)
  const made = withPart(leaf.text, part, value, leaf.key)
  if (made.ok) return made
  // A value of a Secret is not repeated.
  const isHidden = at(document.value, 'kind') === 'Secret'
  const because = isHidden && made.error !== 'NameOrTag' ? 'NotAnImage' : made.error
  const name = isHidden ? undefined : leaf.text
  return because === 'NameOrTag'
    ? source.refusedBy('PromotionTargetAmbiguous', leaf.start, { because, name: name ?? 'value' })
    : source.refused(leaf.start, { because, name })
}

export const isInBrackets = (node: EditYamlNode): boolean => ancestors(node).some((a) => a.isInBrackets)

function ancestors({ above }: EditYamlNode): YamlBranch[] {
  const all: YamlBranch[] = []
  for (let here = above; here; here = here.above) all.push(here)
  return all
}

interface EditTargetProblem {
  readonly at: number
  readonly facts: FactsOf<'EditRefused'>
}

function unchangeable(document: YamlDocument, leaf: YamlLeaf): EditTargetProblem | undefined {
  const { source } = document
  const at = leaf.start
  if (leaf.kind === 'alias') {
    const anchor = document.aliases.get(leaf)
    const path = anchor && source.at(anchor.start)
    return { at, facts: { because: 'Alias', name: leaf.text, path } }
  }
  if (leaf.kind === 'empty') {
    const behind = source.text.slice(0, at).trimEnd().length
    return { at: behind, facts: { because: 'Empty' } }
  }
  if (leaf.kind === 'block') return { at, facts: { because: 'BlockText' } }
  if (source.text.slice(at, leaf.end).includes('\n')) return { at, facts: { because: 'SeveralLines' } }
  const tagged = [leaf, ...ancestors(leaf)].find((n) => n.tag !== undefined)
  if (!tagged) return undefined
  const name = tagged.tag!.replace('tag:yaml.org,2002:', '!!')
  return { at, facts: { because: 'Tag', name, path: tagged === leaf ? undefined : 'above' } }
}

/** The value of an alias elsewhere would change there, too. */
function sharedAnchor(
  { source, aliases }: YamlDocument,
  leaf: YamlLeaf,
): FactsOf<'PromotionTargetAmbiguous'> | undefined {
  const line = [leaf as EditYamlNode, ...ancestors(leaf)]
  const users = [...aliases].filter(([, meant]) => line.includes(meant)).map(([alias]) => alias)
  if (users.length === 0) return undefined
  const places = users.map((u) => source.place(u.start)).map((p) => `${p.line}:${p.column}`)
  return { because: 'Anchor', name: aliases.get(users[0]!)!.anchor ?? '', lines: places.slice(0, SHOWN) }
}

const SHOWN = 20
