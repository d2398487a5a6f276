/** Which document of a file an edit means: by its object, or the only one. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { at } from '@lockstep/kube/object'
import type { PromotionEdit } from '../../../api/kinds/index.ts'
import type { EditRefusal } from './editresult.ts'
import type { YamlDocument } from './yamldocument.ts'
import type { YamlFile } from './yamlfile.ts'

type DocumentSelector = NonNullable<PromotionEdit['where']>

export function applyDocumentSelector(
  file: YamlFile,
  where?: DocumentSelector,
): Result<YamlDocument, EditRefusal> {
  const read = file.documents()
  if (!read.ok) return read
  const found = read.value.filter((d) => where === undefined || isObjectOf(d, where))
  if (found.length === 1) return ok(found[0]!)
  const { source } = file
  const what = where === undefined ? 'a document' : `the ${textOf(where)}`
  if (found.length === 0)
    return source.refused(0, `${what} is not in this file; correct the edit, or add it`, 'NothingToEdit')
  const lines = found.map((d) => source.place(d.root!.start).line).join(', ')
  const remedy =
    where === undefined ? 'give file, path and where' : 'keep one of them, or give where.namespace'
  const message = `${found.length} documents may be meant, on lines ${lines}; ${remedy}`
  return err({
    reason: 'PromotionTargetAmbiguous',
    message: `${source.at(found[1]!.root!.start)}: ${message}`,
  })
}

const isObjectOf = ({ value }: YamlDocument, { kind, name, namespace }: DocumentSelector): boolean =>
  at(value, 'kind') === kind &&
  at(value, 'metadata', 'name') === name &&
  (namespace === undefined || at(value, 'metadata', 'namespace') === namespace)

const textOf = ({ kind, name, namespace }: DocumentSelector): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
