/** Checks of a promotion: what an expression, a Job or a metric says of an environment that is at its revision. */

import { anything, compile, fromJson, PER_CALL_LIMIT } from '@lockstep/cel/program'
import { type CelValue, typeNameOf } from '@lockstep/cel/value'
import { healthOf } from '@lockstep/health/health'
import { digestOf, isArray, isObject, type JsonValue, type KubeObject, short10 } from '@lockstep/kube/object'
import type { PromotionCheck } from '../../api/kinds/index.ts'
import type { CheckResult } from './convergestep.ts'

export interface CheckTarget {
  readonly object: KubeObject
  readonly namespace: string
  readonly cluster: string | undefined
}

const seen = (name: string, state: CheckResult['state'], message = '', isFinal = false): CheckResult => ({
  name,
  state,
  message: message.slice(0, 1024),
  isFinal,
})

/** Stored before its Job is created, and as long as that fails; `message`: why it fails. */
export const startingCheck = (name: string, message?: string): CheckResult => seen(name, 'Starting', message)
export const runningCheck = (name: string, message: string): CheckResult => seen(name, 'Running', message)
export const passedCheck = (name: string): CheckResult => seen(name, 'Passed')
/** It will not become another. */
export const failedCheck = (name: string, message: string): CheckResult => seen(name, 'Failed', message, true)

/** CEL over `targets` and `revision`. What it names may be there later; what is no expression never is. */
export function readyCheck(
  { name, readyExpr = '' }: PromotionCheck,
  targets: readonly CheckTarget[],
  revision: string,
): CheckResult {
  const list = targets.map(({ object, namespace, cluster }) => ({
    object: object as unknown as JsonValue,
    namespace,
    cluster: cluster ?? '',
  }))
  return asked(name, 'readyExpr', readyExpr, { targets: fromJson(list), revision })
}

/** CEL over `value`, a double. */
export const metricCheck = ({ name, metric }: PromotionCheck, value: number): CheckResult => {
  const found = asked(name, 'metric.expr', metric!.expr, { value })
  return found.state === 'Failed' && !found.isFinal
    ? { ...found, message: `${metric!.expr} does not hold of ${value}` }
    : found
}

function asked(
  name: string,
  field: string,
  text: string,
  values: Readonly<Record<string, CelValue>>,
): CheckResult {
  const declared = Object.fromEntries(Object.keys(values).map((v) => [v, anything]))
  const program = compile(text, declared)
  if (!program.ok) return failedCheck(name, `${field}: ${program.error.map((p) => p.message).join('; ')}`)
  const read = Object.entries(values).filter(([v]) => program.value.reads.has(v))
  const result = program.value.evaluate(Object.fromEntries(read), { left: PER_CALL_LIMIT })
  if (!result.ok) return runningCheck(name, `${field}: ${result.error.message}`)
  if (result.value === true) return passedCheck(name)
  if (result.value === false) return seen(name, 'Failed', `${text} does not hold`)
  return failedCheck(name, `${field}: must give a bool, gave ${typeNameOf(result.value)}`)
}

/** What Prometheus answers to an instant query (prometheus.io "HTTP API"): one sample, or a scalar. A text: why it is none. */
export function sampleOf(answer: JsonValue | undefined): number | string {
  if (!isObject(answer)) return 'its answer is no JSON'
  if (answer.status !== 'success') return String(answer.error ?? 'its answer has no status success')
  const data = isObject(answer.data) ? answer.data : {}
  const { result, resultType } = data
  if (resultType === 'scalar') return numberIn(result)
  if (resultType !== 'vector' || !isArray(result))
    return `the query gives a ${resultType}; write one with one sample`
  if (result.length !== 1) return `the query gives ${result.length} samples; write one with one sample`
  const [sample] = result
  return numberIn(isObject(sample) ? sample.value : undefined)
}

/** `[1435781451.781, "1"]`; also `NaN` and `+Inf`. */
function numberIn(pair: JsonValue | undefined): number | string {
  const text = isArray(pair) ? pair[1] : undefined
  if (typeof text !== 'string') return 'its sample has no value'
  const special: Readonly<Record<string, number>> = {
    NaN: Number.NaN,
    '+Inf': Number.POSITIVE_INFINITY,
    '-Inf': Number.NEGATIVE_INFINITY,
  }
  const value = special[text] ?? Number(text)
  return Number.isNaN(value) && text !== 'NaN' ? `its sample is ${text}` : value
}

/** Also a value of labels on its Pods. What is cut off stays told apart. */
export function jobName(promotion: string, check: string): string {
  const whole = `${promotion}-${check}`
  if (whole.length <= MOST_NAME) return whole
  return `${whole.slice(0, KEPT)}-${short10(digestOf('check/1', [promotion, check]))}`
}

const MOST_NAME = 63
const KEPT = 48

/**
 * Of a Job whose name was taken when this one was to be made: that of a Promotion that was there before goes with it, and then there is
 * room. Undefined: it is of this one, made by a process whose answer was lost.
 */
export function jobInTheWay(
  name: string,
  job: KubeObject | undefined,
  owner: string,
): CheckResult | undefined {
  if (job?.metadata.ownerReferences?.some((o) => o.uid === owner)) return undefined
  if (!job) return startingCheck(name)
  const what = `Job ${job.metadata.namespace}/${job.metadata.name}`
  return startingCheck(
    name,
    `${what} belongs to another promotion and is deleted with it; delete it if it remains`,
  )
}

/** Of a Job that was made; undefined: it is not there any more, although it has not ended. */
export function jobCheck(
  name: string,
  job: KubeObject | undefined,
  owner: string,
  nowMs: number,
): CheckResult {
  if (!job) return failedCheck(name, 'its Job was deleted before it had ended')
  const { namespace = '', name: of = '', ownerReferences = [], deletionTimestamp } = job.metadata
  const what = `Job ${namespace}/${of}`
  if (!ownerReferences.some((o) => o.uid === owner))
    return failedCheck(
      name,
      `${what} was there before, and is not of this promotion; delete it, and ask again`,
    )
  if (deletionTimestamp !== undefined) return failedCheck(name, `${what} was deleted before it had ended`)
  const { state, message } = healthOf(job, nowMs)
  if (state === 'Healthy') return passedCheck(name)
  if (state === 'Degraded') return failedCheck(name, `${what}: ${message}`)
  return runningCheck(name, `${what}: ${message || 'it runs'}`)
}
