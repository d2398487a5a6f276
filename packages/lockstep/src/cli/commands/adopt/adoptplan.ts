/** What would be taken over, or was, as a report and as lines. */

import { refText } from '@lockstep/kube/object'
import { z } from 'zod'
import type { Claim, MarkedObject } from '../../../deliver/ownership/index.ts'
import { defineReport } from '../../kit/output/index.ts'
import { fit, plural, type Terminal, textTable } from '../../kit/terminal/index.ts'

const object = z.strictObject({
  group: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  from: z.string().describe('Manager of the object; empty if unknown.'),
  managers: z.array(z.string()).describe('Field managers whose fields Lockstep takes.'),
  taken: z.boolean(),
  refused: z.string().optional().describe('Reason for a refusal, and the next action.'),
})

const unit = z.strictObject({
  module: z.string(),
  namespace: z.string(),
  cluster: z.string(),
  problem: z.string().optional().describe('Reason why the objects could not be read.'),
  suggestion: z.string().optional().describe('Next action.'),
  objects: z.array(object),
})

export const adoptReport = defineReport('Adoption', { units: z.array(unit) })

export type UnitAdoption = z.input<typeof unit>
type Adopted = z.input<typeof object>

export const adoptionObject = (
  claim: Claim,
  more: { taken: boolean; refused?: string | undefined },
): Adopted => {
  const { group, kind, namespace, name } = claim.ref
  const refused = more.refused ?? claim.refused
  return {
    group,
    kind,
    name,
    from: claim.from,
    managers: [...claim.managers],
    taken: more.taken,
    ...(namespace ? { namespace } : {}),
    ...(refused === undefined ? {} : { refused }),
  }
}

/** An object that names a lost Inventory. */
export const markedAdoption = (
  { ref: { group, kind, namespace, name }, inventory = '' }: MarkedObject,
  taken: boolean,
): Adopted => ({
  group,
  kind,
  name,
  from: `Inventory ${inventory}`,
  managers: [],
  taken,
  ...(namespace ? { namespace } : {}),
})

/** A table of what can be taken, and a line with what to do for each that cannot. */
export function drawAdoptPlan(t: Terminal, u: UnitAdoption): string[] {
  const unit = `${u.module} on ${u.cluster}`
  if (u.problem !== undefined) return [fit(t.look, `${t.paint('red', '?')} ${unit}: ${u.problem}`)]
  if (u.objects.length === 0)
    return [`${t.paint('green', '✔')} ${unit}: all existing objects are managed by Lockstep`]
  const refused = u.objects.filter((o) => o.refused !== undefined)
  const rows = u.objects
    .filter((o) => o.refused === undefined)
    .map((o) => [refText(o as Parameters<typeof refText>[0]), o.from || '–', o.managers.join(', ') || '–'])
  return [
    t.paint('bold', `${unit}: ${plural(u.objects.length, 'external object')}`),
    ...(rows.length === 0
      ? []
      : textTable([['OBJECT', 'FROM', 'FIELDS OF'], ...rows], { width: t.look.width, indent: 2 })),
    ...refused.map((o) => fit(t.look, `  ${t.paint('red', '✗')} ${o.refused}`)),
  ]
}
