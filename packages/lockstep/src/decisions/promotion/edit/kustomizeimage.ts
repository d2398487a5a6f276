/** `images[]` of a kustomization: one field of an entry; a `newTag` is added where there is none. */

import { ok, type Result } from '@lockstep/kube/env'
import type { PromotionEdit } from '../../../api/kinds/index.ts'
import type { EditRefusal } from './editresult.ts'
import { type EditTarget, editTargetOf, isInBrackets } from './edittarget.ts'
import { type ImagePart, partProblem } from './imagepart.ts'
import { writeScalar } from './scalar.ts'
import { memberText } from './valuepath.ts'
import type { YamlDocument } from './yamldocument.ts'
import { type EditYamlNode, isLeaf, type YamlBranch, type YamlLeaf } from './yamlnode.ts'

type ImageEdit = NonNullable<PromotionEdit['kustomizeImage']>

const PART: Readonly<Record<ImageEdit['set'], ImagePart>> = {
  newTag: 'tag',
  newName: 'name',
  digest: 'digest',
}

export function kustomizeImageTarget(
  document: YamlDocument,
  { name, set }: ImageEdit,
  value: string,
): Result<EditTarget, EditRefusal> {
  const { source } = document
  const entry = entryOf(document, name)
  if (!entry.ok) return entry
  const problem = partProblem(value, PART[set])
  if (problem !== undefined) return source.refused(entry.value.start, problem)
  const digest = memberOf(entry.value, 'digest')
  if (set === 'newTag' && digest) return source.refused(digest.start, { because: 'HasDigest', name })
  const there = memberOf(entry.value, set)
  if (there && isLeaf(there)) return editTargetOf({ document, leaf: there }, value)
  if (there) return source.refused(there.start, { because: 'NotAScalar', name: there.kind })
  if (set === 'newTag') return addition(document, entry.value, set, value)
  return source.refusedBy('NothingToEdit', entry.value.start, {
    because: 'ImageFieldMissing',
    name,
    field: set,
  })
}

const memberOf = (map: YamlBranch, key: string): EditYamlNode | undefined =>
  map.members.find((m) => m.key?.text === key)?.value

function entryOf(document: YamlDocument, name: string): Result<YamlBranch, EditRefusal> {
  const { source, root, part } = document
  const images = root && !isLeaf(root) ? memberOf(root, 'images') : undefined
  const items = images && !isLeaf(images) ? images.items : []
  const found = items.filter((item) => memberText(document, item, 'name') === name)
  const at = images?.start ?? root?.start ?? part.offset
  if (found.length === 0) return source.refusedBy('NothingToEdit', at, { because: 'ImageMissing', name })
  if (found.length === 1) return ok(found[0] as YamlBranch)
  return source.refusedBy('PromotionTargetAmbiguous', at, {
    because: 'Items',
    name: `[name=${name}]`,
    path: 'images',
    count: found.length,
    lines: found.map((n) => String(source.place(n.start).line)),
  })
}

/** Behind the name: in brackets on its line, else on a line of its own. */
function addition(
  document: YamlDocument,
  entry: YamlBranch,
  field: string,
  value: string,
): Result<EditTarget, EditRefusal> {
  const { source } = document
  const { key, value: name } = entry.members.find((m) => m.key?.text === 'name')! as {
    key: YamlLeaf
    value: YamlLeaf
  }
  if (entry.anchor !== undefined || entry.tag !== undefined)
    return source.refused(entry.start, { because: 'AnchorOrTag', field })
  const scalar = writeScalar(value, name.quotes, isInBrackets(name))
  const member = `${key.quotes === 'none' ? field : `"${field}"`}: ${scalar}`
  const added = (start: number, after: string): Result<EditTarget, EditRefusal> =>
    ok({ document, start, end: start, before: '', after, value })
  if (isInBrackets(name)) return added(name.end, `, ${member}`)
  const { text } = source
  const feed = text.indexOf('\n', name.end)
  const end = feed < 0 ? text.length : text[feed - 1] === '\r' ? feed - 1 : feed
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return added(end, `${eol}${' '.repeat(source.place(key.start).column - 1)}${member}`)
}
