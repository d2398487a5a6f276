/** `lockstep rollout diff`: what one revision changes of another, whatever is on the clusters. */

import type { Result } from '@lockstep/kube/env'
import { type KubeObject, short10 } from '@lockstep/kube/object'
import { z } from 'zod'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { lastComplete } from '../../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { changesBetween, drawDiffLines, type RevisionChange, revisionChange } from '../diff/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  textFlag,
} from '../index.ts'
import { defineReport, printData } from '../output/index.ts'
import { fit, listText, plural } from '../terminal/index.ts'
import { bundlesOf, revisionFor, revisionsOf, type SelectedModule, withModule } from '../units/index.ts'

export const revisionDiffReport = defineReport('RevisionDiff', {
  from: z.string(),
  to: z.string(),
  changes: z.array(revisionChange),
})

export const revisionDiff = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withModule(c, word, async (meant) => {
    const pair = await pairOf(c, meant, flags)
    if (!pair.ok) return pair
    const { from, to } = pair.value
    const bundles = bundlesOf(meant.hub)
    const both: KubeObject[][] = []
    for (const r of [from, to]) {
      const bundle = await bundles.get(r.namespace, r.bundle)
      if (!bundle.ok)
        return failed('E_NOT_FOUND', {
          kind: 'bundle of revision',
          name: short10(r.revision),
          namespace: r.namespace,
          suggestion: `${bundle.error.message}; for the history, use lockstep rollout history ${meant.module.metadata.name}`,
        })
      both.push([...bundle.value.objects])
    }
    const changes = changesBetween(both[0]!, both[1]!)
    const facts = revisionDiffReport.fill({ from: from.revision, to: to.revision, changes })
    if (
      !printData(
        c,
        facts,
        changes.map((x) => x.object),
      )
    )
      draw(c, changes, from, to)
    return { ok: true, value: changes.length > 0 ? 1 : 0 }
  })

/** What is asked for; without, the published one against the last complete one before it. */
async function pairOf(
  c: CommandContext,
  { hub, module }: SelectedModule,
  flags: Flags,
): Promise<Result<{ from: RevisionRecord; to: RevisionRecord }, CliFailure>> {
  const ref = moduleRefOf(module)
  const known = await revisionsOf(c, hub, ref)
  if (!known.ok) return known
  const find = (prefix: string | undefined) =>
    revisionFor(
      { module, ref, cluster: '', inventory: undefined },
      { type: 'revision', prefix: prefix ?? '' },
      known.value,
    )
  const to = find(textFlag(flags, 'to') ?? module.status?.currentRevision)
  if (!to.ok) return to
  const from = textFlag(flags, 'from') ?? revisionBefore(known.value, to.value!.revision)
  if (from === undefined)
    return failed('E_USAGE', {
      problem: `revision ${short10(to.value!.revision)}: no earlier revision had a complete rollout`,
      suggestion: `give --from REVISION; for the history, use lockstep rollout history ${module.metadata.name}`,
    })
  const found = find(from)
  return found.ok ? { ok: true, value: { from: found.value!, to: to.value! } } : found
}

/** Where an undo of a revision goes, too. */
export const revisionBefore = (known: readonly RevisionRecord[], revision: string): string | undefined =>
  lastComplete(
    known.map((r) => ({ ...r, completedAtMs: r.completedAt, isUsable: true })),
    revision,
  )?.revision

function draw(
  { terminal: t }: CommandContext,
  changes: readonly RevisionChange[],
  from: RevisionRecord,
  to: RevisionRecord,
) {
  const nameOf = (r: RevisionRecord): string => r.release ?? short10(r.revision)
  for (const { object, action, diff } of changes) {
    t.print(t.paint('bold', `--- ${action === 'create' ? '/dev/null' : `${nameOf(from)}/${object}`}`))
    t.print(t.paint('bold', `+++ ${action === 'delete' ? '/dev/null' : `${nameOf(to)}/${object}`}`))
    drawDiffLines(t, diff)
  }
  const count = (action: RevisionChange['action'], verb: string): string[] => {
    const n = changes.filter((x) => x.action === action).length
    return n === 0 ? [] : [`${plural(n, 'object')} ${verb}`]
  }
  const parts = [...count('create', 'added'), ...count('change', 'changed'), ...count('delete', 'removed')]
  const text = `${short10(from.revision)} to ${short10(to.revision)}: ${listText(parts) || 'no object differs'}`
  t.print(fit(t.look, text))
}
