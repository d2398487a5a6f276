/** Which document of a file an edit means: by its object, or the only one. */

import { ok, type Result } from '@lockstep/kube/env'
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
  if (found.length === 0)
    return source.refusedBy('NothingToEdit', 0, {
      because: 'DocumentMissing',
      name: where && textOf(where),
    })
  return source.refusedBy('PromotionTargetAmbiguous', found[1]!.root!.start, {
    because: 'Documents',
    count: found.length,
    lines: found.map((d) => String(source.place(d.root!.start).line)),
  })
}

const isObjectOf = ({ value }: YamlDocument, { kind, name, namespace }: DocumentSelector): boolean =>
  at(value, 'kind') === kind &&
  at(value, 'metadata', 'name') === name &&
  (namespace === undefined || at(value, 'metadata', 'namespace') === namespace)

const textOf = ({ kind, name, namespace }: DocumentSelector): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
