/** Reads what a checkpoint checks: from caches, and live before it counts as verified. */

import { type ExpressionRule, expressionRules } from '@lockstep/health/health'
import type { RequestError } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  type CheckpointCheck,
  type CheckpointResult,
  type CheckpointTimes,
  checkpointResult,
} from '../../deliver/state/index.ts'
import { type ObjectSelection, type ObservedSelection, selectionId } from '../../fleet/connection/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'

/**
 * Undefined: nothing is to be checked. 'unsure': caches are not complete, what was said before stays. `note` takes the id of each
 * selection that is read.
 */
export async function evaluateCheckpoint(
  c: UnitDeps,
  scope: UnitScope,
  revision: RevisionRecord,
  note: (id: string) => void,
): Promise<Result<CheckpointResult | 'unsure' | undefined, RequestError>> {
  const rules = revision.spec.source.none ? expressionRules(revision.spec.health.expressions) : []
  if (rules.length === 0) return ok(undefined)
  const { selections } = scope.session
  for (const rule of rules) note(selectionId(selectionOf(rule)))
  const seen = rules.map((r) => selections.select(selectionOf(r)))
  if (seen.some((s) => s.type === 'Syncing')) return ok('unsure')
  const cached = decide(c, scope, revision, rules, seen)
  if (cached.health !== 'Healthy' || isVerified(scope)) return ok(cached)
  // A cache may be from before what this is to be verified after.
  const live = await Promise.all(rules.map((r) => selections.list(selectionOf(r))))
  const failed = live.find((l) => !l.ok)
  if (failed && !failed.ok) return err(failed.error)
  const now = live.map((l) => (l.ok ? l.value : { type: 'Syncing' as const }))
  return ok(decide(c, scope, revision, rules, now))
}

function decide(
  c: UnitDeps,
  scope: UnitScope,
  revision: RevisionRecord,
  rules: readonly ExpressionRule[],
  seen: readonly ObservedSelection[],
): CheckpointResult {
  const { memory, inventory } = scope
  const serial = inventory.spec.admitted!.serial
  // Each admission is verified anew.
  const times: readonly CheckpointTimes[] = memory.checks?.serial === serial ? memory.checks.times : []
  const checks = rules.map((rule, i): CheckpointCheck => ({ rule, seen: seen[i]!, times: times[i] ?? {} }))
  const { timeoutSeconds, degradedSeconds } = revision.spec.health
  const steady = c.env.clock.steady()
  const wasVerified = isVerified(scope)
  const result = checkpointResult(checks, {
    cluster: scope.cluster.name,
    timeoutSeconds,
    degradedSeconds,
    wasVerified,
    steady,
  })
  memory.checks = { serial, times: result.times }
  return result
}

function isVerified({ inventory: { spec, status } }: UnitScope): boolean {
  const { admitted } = spec
  return (
    status?.health === 'Healthy' &&
    status.admittedSerial === admitted!.serial &&
    status.verifiedGateDigest === admitted!.gateDigest
  )
}

const selectionOf = ({ entry }: Pick<ExpressionRule, 'entry'>): ObjectSelection => ({
  apiVersion: entry.apiVersion,
  kind: entry.kind ?? '',
  namespace: entry.namespace,
  name: entry.name,
  labels: entry.labels,
})
