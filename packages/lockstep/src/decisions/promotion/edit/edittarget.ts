/** Scalars that an edit means: whether they may be changed, and what is then written. */
import { ok, type Result } from '@lockstep/kube/env'
import { at } from '@lockstep/kube/object'
import type { EditRefusal } from './editresult.ts'
import { type ImagePart, partProblem, withPart } from './imagepart.ts'
import { writeScalar } from './scalar.ts'
import type { YamlDocument } from './yamldocument.ts'
import { type EditYamlNode, isLeaf, type YamlBranch, type YamlLeaf } from './yamlnode.ts'

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
  if (why) return source.refused(why.at, why.message, why.reason)
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
  if (problem !== undefined)
    return source.refused(leaf.start, `${problem}, to be written here; give valueExpr`)
  const made = withPart(leaf.text, part, value, leaf.key)
  if (made.ok) return made
  const { isUnclear } = made.error
  const isSecret = at(document.value, 'kind') === 'Secret'
  const message = isSecret ? 'is no image such as ghcr.io/org/app:1.0' : made.error.message
  return source.refused(leaf.start, message, isUnclear ? 'PromotionTargetAmbiguous' : 'EditRefused')
}

export const isInBrackets = (node: EditYamlNode): boolean => ancestors(node).some((a) => a.isInBrackets)

function ancestors({ above }: EditYamlNode): YamlBranch[] {
  const all: YamlBranch[] = []
  for (let here = above; here; here = here.above) all.push(here)
  return all
}

interface EditTargetProblem {
  readonly at: number
  readonly message: string
  readonly reason?: EditRefusal['reason']
}

function unchangeable(document: YamlDocument, leaf: YamlLeaf): EditTargetProblem | undefined {
  const { source } = document
  const at = leaf.start
  if (leaf.kind === 'alias') {
    const anchor = document.aliases.get(leaf)
    const place = anchor ? `, which stands at ${source.at(anchor.start)}` : ''
    return { at, message: `is an alias of &${leaf.text}${place}; write the value out here` }
  }
  if (leaf.kind === 'empty') {
    const behind = source.text.slice(0, at).trimEnd().length
    return { at: behind, message: 'has no value; write one here for it to be replaced' }
  }
  if (leaf.kind === 'block') return { at, message: 'is a block text; write it on one line' }
  if (source.text.slice(at, leaf.end).includes('\n'))
    return { at, message: 'is a text over several lines; write it on one line' }
  const tagged = [leaf, ...ancestors(leaf)].find((n) => n.tag !== undefined)
  if (tagged) {
    const tag = tagged.tag!.replace('tag:yaml.org,2002:', '!!')
    return { at, message: `has the tag ${tag}${tagged === leaf ? '' : ' above it'}; take the tag off` }
  }
  return shared(document, leaf)
}

/** What an alias elsewhere stands for changes there, too, and nobody said that it should. */
function shared({ source, aliases }: YamlDocument, leaf: YamlLeaf): EditTargetProblem | undefined {
  const line = [leaf as EditYamlNode, ...ancestors(leaf)]
  const users = [...aliases].filter(([, meant]) => line.includes(meant)).map(([alias]) => alias)
  if (users.length === 0) return undefined
  const anchor = aliases.get(users[0]!)!
  const places = users.map((u) => source.place(u.start)).map((p) => `${p.line}:${p.column}`)
  const what = isLeaf(anchor) ? 'is' : 'is part of'
  return {
    at: leaf.start,
    message: `${what} &${anchor.anchor}, which stands at ${listed(places)}, too, and would change there; write the value out there`,
    reason: 'PromotionTargetAmbiguous',
  }
}

const SHOWN = 5
const listed = (places: readonly string[]): string =>
  places.length <= SHOWN
    ? places.join(', ')
    : `${places.slice(0, SHOWN).join(', ')} and ${places.length - SHOWN} more`
