/** The targets of a file are written, and what came out is proven. */
import { err, ok, type Result } from '../../../../../kube/src/env/result.ts'
import { at } from '../../../../../kube/src/object/index.ts'
import type { YamlDocument } from './yamldocument.ts'
import { differsOnlyIn, withTargets } from './verifyedit.ts'
import type { Target } from './edittarget.ts'
import type { EditRefusal, Place } from './editresult.ts'

export interface Applied {
  readonly places: readonly Place[]
  /** Of the file as it is then; absent where nothing has to be changed. */
  readonly bytes?: Uint8Array
}

/** The targets of one file. */
export function applied(targets: readonly Target[]): Result<Applied, EditRefusal[]> {
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
function oneEach(targets: readonly Target[]): Result<Target[], EditRefusal> {
  const out: Target[] = []
  for (const t of targets) {
    const last = out.at(-1)
    if (last?.start !== t.start) out.push(t)
    else if (last.after !== t.after) {
      const message = `two edits want different values here, ${last.after} and ${t.after}; take one of them away`
      return t.document.source.refused(t.start, message, 'PromotionTargetAmbiguous')
    }
  }
  return ok(out)
}

/** What a Secret had is repeated nowhere. */
function placeOf({ document, start, before, after }: Target): Place {
  const { source, value } = document
  const isHidden = at(value, 'kind') === 'Secret' && before !== '' && before !== after
  return { file: source.path, ...source.place(start), before: isHidden ? '…' : before, after }
}

function unproven(targets: readonly Target[]): EditRefusal[] {
  const documents = new Map<YamlDocument, Target[]>()
  for (const t of targets) {
    const own = documents.get(t.document)
    if (own) own.push(t)
    else documents.set(t.document, [t])
  }
  return [...documents].flatMap(([document, own]) => {
    if (differsOnlyIn(document, own)) return []
    const message =
      'with this value written, more of the document would be read differently; write it in a simpler way, without anchors and merges around it'
    return [document.source.refused(own[0]!.start, message, 'PromotionTargetAmbiguous').error]
  })
}
