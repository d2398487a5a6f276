/** Which files of a repository edits are about, and whether those can be read. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { DEFAULT_PATHS, type PromotionEdit } from '../../../api/kinds/index.ts'
import type { RepoFile } from '../repofile.ts'
import { type EditInput, type EditRefusal, refusal } from './editresult.ts'
import { globMatcher } from './glob.ts'

export const MAX_FILES = 5000

/** Which files have to be read for a set of edits. */
export function editFileFilter(edits: readonly PromotionEdit[]): (path: string) => boolean {
  const all = edits.map(wantedBy)
  return (path) => all.some((is) => is(path))
}

const fileOf = (edit: PromotionEdit): string | undefined =>
  edit.file ?? edit.kustomizeImage?.file ?? edit.helmValue?.file

function wantedBy(edit: PromotionEdit): (path: string) => boolean {
  const file = fileOf(edit)
  if (file !== undefined) return (path) => path === file
  const isMeant = globMatcher(edit.paths ?? DEFAULT_PATHS)
  return (path) => isMeant(path) && !path.startsWith('.git/')
}

export function tooManyFiles({ edits, files, where }: EditInput): EditRefusal | undefined {
  const isWanted = editFileFilter(edits)
  const count = files.filter((f) => isWanted(f.path)).length
  if (count <= MAX_FILES) return undefined
  return refusal('EditRefused', where, { because: 'TooManyFiles', at: 'edits', count, limit: MAX_FILES })
}

/** The files of one edit. One that is named has to be there. */
export function editFilesOf(
  edit: PromotionEdit,
  index: number,
  input: EditInput,
): Result<RepoFile[], EditRefusal> {
  const isWanted = wantedBy(edit)
  const found = input.files.filter((f) => isWanted(f.path))
  const file = fileOf(edit)
  if (file === undefined || found.length > 0) return ok(found)
  return err(missing(file, index, input))
}

function missing(file: string, index: number, { files, where }: EditInput): EditRefusal {
  const at = `edits[${index}]`
  if (file.startsWith('/') || file.split('/').includes('..'))
    return refusal('EditRefused', where, { because: 'FileOutside', at, name: file })
  const link = files.find((f) => f.kind === 'link' && file.startsWith(`${f.path}/`))
  return link
    ? refusal('EditRefused', where, { because: 'LinkInPath', at, name: file, link: link.path })
    : refusal('NothingToEdit', where, { because: 'FileMissing', at, name: file })
}
