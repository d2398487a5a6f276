/** What a Module warns of: conditions that hold up nobody, and that people should see. */
import { z } from 'zod'
import { DRIFT_DETECTED, HANDED_OVER, HANDOVER_PENDING, SOURCE_BEHIND } from '../../../api/conditions.ts'
import { conditions, type Module } from '../../../api/kinds/index.ts'
import { fit, type Terminal } from '../terminal/index.ts'

const WARNING_TYPES: ReadonlySet<string> = new Set([
  'ReleaseNotCompared',
  DRIFT_DETECTED,
  SOURCE_BEHIND,
  HANDOVER_PENDING,
  HANDED_OVER,
])

const { reason, message, lastTransitionTime } = conditions.element.shape

export const warning = z.strictObject({ reason, message, since: lastTransitionTime })
type ModuleWarning = Readonly<z.output<typeof warning>>

export const moduleWarnings = (m: Module): ModuleWarning[] =>
  (m.status?.conditions ?? [])
    .filter((c) => WARNING_TYPES.has(c.type) && c.status === 'True')
    .map((c) => ({ reason: c.reason, message: c.message, since: c.lastTransitionTime }))

/** A frame is drawn line by line: a sentence that is broken is several of them. */
export const warningLines = (t: Terminal, warnings: readonly ModuleWarning[]): string[] =>
  warnings.flatMap((w) =>
    fit(t.look, `${t.paint('yellow', '⚠')} ${t.paint('yellow', w.reason)}: ${w.message}`).split('\n'),
  )
