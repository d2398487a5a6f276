/** The targets of a file are written, and what came out is proven. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { at } from '@lockstep/kube/object'
import type { EditedValue, EditRefusal } from './editresult.ts'
import type { EditTarget } from './edittarget.ts'
import { verifyEdit, withTargets } from './verifyedit.ts'
import type { YamlDocument } from './yamldocument.ts'

export interface AppliedEdits {
  readonly places: readonly EditedValue[]
  /** Of the file as it is then; absent where nothing has to be changed. */
  readonly bytes?: Uint8Array
}

/** The targets of one file. */
export function applyEdits(targets: readonly EditTarget[]): Result<AppliedEdits, EditRefusal[]> {
  const merged = oneEach(targets.toSorted((a, b) => a.start - b.start))
  if (!merged.ok) return err([merged.error])
  const places = merged.value.map(placeOf)
  const different = merged.value.filter((t) => t.before !== t.after)
  if (different.length === 0) return ok({ places })
  const refused = unproven(different)
  if (refused.length > 0) return err(refused)
  const text = withTargets(different[0]!.document.source.text, different, 0)
  return ok({ places, bytes: new TextEncoder().encode(text) })
}

/** Several edits may mean one value, if they want the same of it. */
function oneEach(targets: readonly EditTarget[]): Result<EditTarget[], EditRefusal> {
  const out: EditTarget[] = []
  for (const t of targets) {
    const last = out.at(-1)
    if (last?.start !== t.start) out.push(t)
    else if (last.after !== t.after) {
      return t.document.source.refusedBy('PromotionTargetAmbiguous', t.start, {
        because: 'TwoValues',
        values: [last.after, t.after],
      })
    }
  }
  return ok(out)
}

/** What a Secret had is repeated nowhere. */
function placeOf({ document, start, before, after }: EditTarget): EditedValue {
  const { source, value } = document
  const isHidden = at(value, 'kind') === 'Secret' && before !== '' && before !== after
  return { file: source.path, ...source.place(start), before: isHidden ? '…' : before, after }
}

function unproven(targets: readonly EditTarget[]): EditRefusal[] {
  const documents = new Map<YamlDocument, EditTarget[]>()
  for (const t of targets) {
    const own = documents.get(t.document)
    if (own) own.push(t)
    else documents.set(t.document, [t])
  }
  return [...documents].flatMap(([document, own]) => {
    if (verifyEdit(document, own)) return []
    const facts = { because: 'OtherValuesChange' } as const
    return [document.source.refusedBy('PromotionTargetAmbiguous', own[0]!.start, facts).error]
  })
}
