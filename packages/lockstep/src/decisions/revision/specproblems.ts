/**
 * What no schema says of a module's spec, as far as the spec alone tells: found before anything is written by whoever reads
 * it from a file, and before anything is published by the controller.
 */

import { compileReady, expressionProblems, problemText } from '@lockstep/health/health'
import type { Calendar } from '@lockstep/kube/env'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { compileGateExpr } from '../rollout/approvals/gateexpr.ts'
import { nextOpening, type RolloutWindow, windowFault } from '../rollout/time/windows.ts'

export interface SpecProblem {
  readonly reason: 'InvalidSpec' | 'InvalidExpression'
  /** `spec.rollout.stages[1].gateExpr`. */
  readonly field: string
  /** What is wrong there, and what to write instead. */
  readonly problem: string
}

/** What windows are judged by. */
export interface CalendarNow {
  readonly calendar: Calendar
  /** Wall clock, milliseconds. */
  readonly nowMs: number
}

/** All of them, in the order in which the reference has the fields. */
export const specProblems = (spec: ModuleSpec, today: CalendarNow): SpecProblem[] => [
  ...targetProblems(spec),
  ...edgeProblems(spec),
  ...rolloutProblems(spec.rollout, today),
  ...ignoreProblems(spec),
  ...healthProblems(spec),
]

const invalid = (field: string, problem: string): SpecProblem => ({ reason: 'InvalidSpec', field, problem })

const badExpression = (field: string, problem: string): SpecProblem => ({
  reason: 'InvalidExpression',
  field,
  problem,
})

/** A hub is one cluster: there is nothing to choose from. */
function targetProblems({ targets }: ModuleSpec): SpecProblem[] {
  const { hub, allowEmpty: _, ...others } = targets ?? {}
  if (hub !== true || Object.values(others).every((x) => x === undefined)) return []
  return [
    invalid('spec.targets.hub', 'excludes clusterSelector, clusters, exclude, inventories and properties'),
  ]
}

const ignoreProblems = ({ apply }: ModuleSpec): SpecProblem[] =>
  (apply.ignore ?? []).flatMap((r, i) =>
    r.paths?.length || r.managers?.length
      ? []
      : [invalid(`spec.apply.ignore[${i}]`, 'give paths, managers or both')],
  )

function healthProblems({ source, health }: ModuleSpec): SpecProblem[] {
  const entries = source.none ? (health.expressions ?? []) : []
  const kindless = entries.flatMap((e, i) =>
    e.kind === undefined
      ? [invalid(`spec.health.expressions[${i}].kind`, 'a checkpoint selects objects of one kind')]
      : [],
  )
  return [
    ...expressionProblems(health.expressions).map((p) => badExpression(p.field, p.problem)),
    ...kindless,
  ]
}

const edgeProblems = ({ dependsOn = [] }: ModuleSpec): SpecProblem[] =>
  dependsOn.flatMap(({ object, readyExpr }, i) =>
    readyProblems(`spec.dependsOn[${i}].readyExpr`, readyExpr, object),
  )

function readyProblems(
  field: string,
  text: string | undefined,
  object: { readonly apiVersion: string; readonly kind: string } | undefined,
): SpecProblem[] {
  const ready = text === undefined ? undefined : compileReady(text)
  if (ready && !ready.ok) return [badExpression(field, problemText(ready.error))]
  const isSecret = object?.apiVersion === 'v1' && object.kind === 'Secret'
  const data = isSecret ? SECRET_DATA.exec(text ?? '')?.[1] : undefined
  return data === undefined ? [] : [badExpression(field, `object.${data}: data of a Secret is not readable`)]
}

/** Data that an expression never sees: refused before the dependency waits for it. */
const SECRET_DATA = /\bobject\s*(?:\.\s*|\[\s*["'])(data|stringData)\b/

type RolloutSpecPart = ModuleSpec['rollout']
type RolloutSpecStage = NonNullable<RolloutSpecPart['stages']>[number]

const rolloutProblems = (rollout: RolloutSpecPart, today: CalendarNow): SpecProblem[] => [
  ...zeroProblems('spec.rollout', rollout, ['maxUnavailable', 'maxNew']),
  ...windowProblems('spec.rollout.windows', rollout.windows ?? [], today),
  ...(rollout.stages ?? []).flatMap((s, i) => stageProblems(`spec.rollout.stages[${i}]`, s, today)),
]

function stageProblems(field: string, stage: RolloutSpecStage, today: CalendarNow): SpecProblem[] {
  const { gateExpr, gates = [], windows = [] } = stage
  const gate = gateExpr === undefined ? undefined : compileGateExpr(gateExpr)
  return [
    ...zeroProblems(field, stage, ['size'], 'a stage has at least one cluster'),
    ...zeroProblems(field, stage, ['maxConcurrency', 'maxUnavailable']),
    ...windowProblems(`${field}.windows`, windows, today),
    ...(gate && !gate.ok ? [badExpression(`${field}.gateExpr`, problemText(gate.error))] : []),
    ...gates.flatMap((g, i) => readyProblems(`${field}.gates[${i}].readyExpr`, g.readyExpr, g)),
  ]
}

/** Of what the schema refuses as well: a server may hold what was written before it did. */
const zeroProblems = <K extends string>(
  field: string,
  of: { readonly [k in K]?: number | string | undefined },
  names: readonly K[],
  why = '0 would never start anything',
): SpecProblem[] =>
  names.flatMap((name) =>
    /^0+%?$/.test(String(of[name])) ? [invalid(`${field}.${name}`, `${why}; give at least 1`)] : [],
  )

/** Each of them says something, and something may start within a year (specs: rollouts, windows). */
function windowProblems(
  field: string,
  windows: readonly RolloutWindow[],
  { calendar, nowMs }: CalendarNow,
): SpecProblem[] {
  const faults = windows.flatMap((w, i) => {
    const found = windowFault(w, calendar)
    return found ? [invalid(`${field}[${i}].${found.field}`, found.problem)] : []
  })
  if (faults.length > 0 || windows.length === 0) return faults
  if (nextOpening(windows, nowMs, calendar) !== undefined) return []
  return [
    invalid(
      field,
      'no start is possible within 366 days: the allowed windows are denied or later; allow an earlier time',
    ),
  ]
}
