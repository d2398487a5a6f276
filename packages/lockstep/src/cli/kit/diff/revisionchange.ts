/** What one bundle changes of another, whatever is on the clusters. */

import { type KubeObject, refOf, refText } from '@lockstep/kube/object'
import { z } from 'zod'
import { objectDiff } from '../../../deliver/plan/index.ts'

export const revisionChange = z.strictObject({
  object: z.string(),
  action: z.enum(['create', 'change', 'delete']),
  diff: z.string().describe('Unified diff, without values of Secrets.'),
})

export type RevisionChange = z.infer<typeof revisionChange>

/** Without what is the same in both. */
export function changesBetween(
  before: readonly KubeObject[],
  after: readonly KubeObject[],
): RevisionChange[] {
  const old = new Map(before.map((o) => [refText(refOf(o)), o]))
  const changes = after.flatMap((o): RevisionChange[] => {
    const object = refText(refOf(o))
    const known = old.get(object)
    old.delete(object)
    const diff = objectDiff(known, o)
    return diff.length === 0 ? [] : [{ object, action: known ? 'change' : 'create', diff: textOf(diff) }]
  })
  for (const [object, o] of old)
    changes.push({ object, action: 'delete', diff: textOf(objectDiff(o, undefined)) })
  return changes
}

const textOf = (lines: readonly string[]): string => lines.map((l) => `${l}\n`).join('')
