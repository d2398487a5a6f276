/** Edits of a promotion: values of a repository's files become the revision, byte for byte, and all or none. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { PromotionEdit } from '../../../api/kinds/index.ts'
import type { RepoFile } from '../repofile.ts'
import { type AppliedEdits, applyEdits } from './applyedits.ts'
import { applyDocumentSelector } from './documentselector.ts'
import { editFilesOf, tooManyFiles } from './editfiles.ts'
import { type EditedValue, type EditInput, type EditRefusal, type EditResult, refusal } from './editresult.ts'
import { type EditTarget, editTargetOf } from './edittarget.ts'
import { kustomizeImageTarget } from './kustomizeimage.ts'
import { MARKER_KEY, markedValues, markerText } from './marker.ts'
import { promotedValue } from './promotedvalue.ts'
import { bytesOf, includesText, sourceText } from './sourcetext.ts'
import { valueAt } from './valuepath.ts'
import { YamlFile } from './yamlfile.ts'
import { isLeaf } from './yamlnode.ts'

/**
 * One refusal, and nothing is changed; all refusals are told. File by file, so that what is known of one is forgotten before
 * the next.
 */
export function edit(input: EditInput): Result<EditResult, EditRefusal[]> {
  const many = tooManyFiles(input)
  if (many) return err([many])
  // Every place of none would have the value already.
  if (input.edits.length === 0) return err([refusal('NothingToEdit', input.where, { because: 'NoEdits' })])
  const planned = input.edits.map((e, i) => planOf(e, i, input))
  const plans = planned.flatMap((p) => (p.ok ? [p.value] : []))
  const refused = planned.flatMap((p) => (p.ok ? [] : [p.error]))
  const places: EditedValue[] = []
  const changed = new Map<string, Uint8Array>()
  const idle = new Set(plans)
  for (const [file, own] of byFile(plans)) {
    const made = ofFile(file, own, input, idle)
    if (!made.ok) {
      refused.push(...made.error)
      continue
    }
    places.push(...made.value.places)
    if (made.value.bytes) changed.set(file.path, made.value.bytes)
  }
  if (refused.length === 0) refused.push(...[...idle].map((plan) => nothing(plan, input)))
  return refused.length > 0 ? err(once(refused)) : ok({ places, changed })
}

const once = (refused: readonly EditRefusal[]): EditRefusal[] => [
  ...new Map(refused.map((r) => [JSON.stringify([r.reason, r.facts]), r])).values(),
]

/** One edit, with what it writes and where it looks. */
interface EditPlan {
  readonly edit: PromotionEdit
  readonly value: string
  readonly files: readonly RepoFile[]
}

function planOf(e: PromotionEdit, index: number, input: EditInput): Result<EditPlan, EditRefusal> {
  const value = promotedValue(e, index, input)
  if (!value.ok) return value
  const files = editFilesOf(e, index, input)
  return files.ok ? ok({ edit: e, value: value.value, files: files.value }) : files
}

function byFile(plans: readonly EditPlan[]): [RepoFile, EditPlan[]][] {
  const files = new Map<RepoFile, EditPlan[]>()
  for (const plan of plans)
    for (const file of plan.files) {
      const own = files.get(file)
      if (own) own.push(plan)
      else files.set(file, [plan])
    }
  return [...files].toSorted(([a], [b]) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

/** `idle`: plans that have found nothing so far. */
function ofFile(
  file: RepoFile,
  plans: readonly EditPlan[],
  { marker, where }: EditInput,
  idle: Set<EditPlan>,
): Result<AppliedEdits, EditRefusal[]> {
  const bytes = bytesOf(file, where)
  if (!bytes.ok) return err([bytes.error])
  if (plans.every((p) => p.edit.marker) && !includesText(bytes.value, MARKER_KEY)) return ok({ places: [] })
  const source = sourceText(file.path, bytes.value, where)
  if (!source.ok) return err([source.error])
  const yaml = new YamlFile(source.value)
  const targets: EditTarget[] = []
  const refused: EditRefusal[] = []
  for (const plan of plans) {
    const found = targetsIn(yaml, plan, marker)
    if (found.length > 0) idle.delete(plan)
    targets.push(...found.flatMap((f) => (f.ok ? [f.value] : [])))
    refused.push(...found.flatMap((f) => (f.ok ? [] : [f.error])))
  }
  return refused.length > 0 ? err(refused) : applyEdits(targets)
}

function targetsIn(
  file: YamlFile,
  { edit: e, value }: EditPlan,
  marker: string,
): readonly Result<EditTarget, EditRefusal>[] {
  if (e.marker) return markedValues(file, marker).map((f) => (f.ok ? editTargetOf(f.value, value) : f))
  const document = applyDocumentSelector(file, e.where)
  if (!document.ok) return [document]
  if (e.kustomizeImage) return [kustomizeImageTarget(document.value, e.kustomizeImage, value)]
  const node = valueAt(document.value, e.path ?? e.helmValue!.key)
  if (!node.ok) return [node]
  if (isLeaf(node.value)) return [editTargetOf({ document: document.value, leaf: node.value }, value)]
  const name = node.value.kind === 'map' ? 'mapping' : 'list'
  return [document.value.source.refused(node.value.start, { because: 'NotAScalar', name })]
}

/** Only of markers: who names a place is told when it is not there. */
function nothing({ edit: { paths }, files }: EditPlan, { marker, where }: EditInput): EditRefusal {
  return refusal('NothingToEdit', where, {
    because: 'NoMarker',
    name: markerText(marker),
    files: files.length,
    paths,
  })
}
