/**
 * An event as Flux's notification-controller sends it (fluxcd/pkg `apis/event/v1beta1`, `Event`), and what keeps it from
 * being one of an environment.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  parseApiVersion,
  parseJson,
  parseTimestampMs,
} from '@lockstep/kube/object'
import type { AppRef, TargetRef } from '../promotionref.ts'

export interface WebhookEvent {
  readonly object: AppRef & { readonly namespace: string }
  readonly severity: string
  readonly reason: string
  readonly timestamp: string
  /** Where it is known. */
  readonly revision: string | undefined
  /** `metadata.cluster`, from `eventMetadata` of an Alert: on which cluster it happened. */
  readonly cluster: string | undefined
}

export interface EventSubject {
  readonly appRef: AppRef
  readonly environment: string
  readonly targets: readonly TargetRef[]
}

/** An event is of now: so far from the hub's time it may be, in milliseconds. */
export const EVENT_AGE_MS = 300_000

/** The problem is for people. */
export function readEvent(body: Uint8Array): Result<WebhookEvent, string> {
  const json = objectOf(body)
  if (!json) return err('the body is no JSON object')
  const { involvedObject, severity, reason, timestamp, metadata } = json
  const object = isObject(involvedObject) ? involvedObject : {}
  const more = isObject(metadata) ? metadata : {}
  return ok({
    object: {
      apiVersion: textOf(object.apiVersion),
      kind: textOf(object.kind),
      name: textOf(object.name),
      namespace: textOf(object.namespace),
    },
    severity: textOf(severity),
    reason: textOf(reason),
    timestamp: textOf(timestamp),
    revision: revisionOf(more),
    cluster: textOf(more.cluster) || undefined,
  })
}

function objectOf(body: Uint8Array): JsonObject | undefined {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** `revision`, or as controllers write it before it is forwarded: `helm.toolkit.fluxcd.io/revision`. */
function revisionOf(metadata: JsonObject): string | undefined {
  const key = Object.keys(metadata).find((k) => k === 'revision' || k.endsWith('.toolkit.fluxcd.io/revision'))
  return key === undefined ? undefined : textOf(metadata[key]) || undefined
}

/** Why it is no news of the environment; undefined: it is. */
export function eventProblem(
  event: WebhookEvent,
  { appRef, environment, targets }: EventSubject,
  nowMs: number,
): string | undefined {
  const { object, severity, timestamp } = event
  const group = (apiVersion: string) => parseApiVersion(apiVersion).group
  if (
    object.kind !== appRef.kind ||
    object.name !== appRef.name ||
    group(object.apiVersion) !== group(appRef.apiVersion)
  )
    return `involvedObject: must be ${appRef.kind} ${appRef.name} of ${group(appRef.apiVersion)}, as spec.appRef says`
  if (!targets.some((t) => t.namespace === object.namespace))
    return `involvedObject.namespace: no target of ${environment} is in "${object.namespace}"`
  if (severity !== 'info') return `severity: must be info, is "${severity}"`
  return timeProblem('timestamp', parseTimestampMs(timestamp), nowMs)
}

export function timeProblem(what: string, atMs: number | undefined, nowMs: number): string | undefined {
  if (atMs === undefined) return `${what}: is no time`
  return Math.abs(nowMs - atMs) <= EVENT_AGE_MS ? undefined : `${what}: must be within 5 minutes of now`
}

/**
 * Reasons with which an object is at the revision that its event names: other ones, such as `Progressing` and
 * `RollbackSucceeded`, have a revision, too (helm-controller `api/v2/condition_types.go`, kustomize-controller through
 * fluxcd/pkg `apis/meta`).
 */
const ARRIVED: ReadonlySet<string> = new Set([
  'ReconciliationSucceeded',
  'InstallSucceeded',
  'UpgradeSucceeded',
  'TestSucceeded',
])

export interface HeardRevision extends TargetRef {
  /** What it was said of: a pipeline may be about another object since. */
  readonly appRef: AppRef
  readonly revision: string
  /** When it happened, in milliseconds since the epoch. */
  readonly atMs: number
}

/** What it says of the revision of a target. Nothing where it does not say of which: the namespace may be on several clusters. */
export function heardRevision(
  event: WebhookEvent,
  { appRef, targets }: EventSubject,
): HeardRevision | undefined {
  const atMs = parseTimestampMs(event.timestamp)
  if (event.revision === undefined || atMs === undefined || !ARRIVED.has(event.reason)) return undefined
  const there = targets.filter(
    (t) =>
      t.namespace === event.object.namespace && (event.cluster === undefined || t.cluster === event.cluster),
  )
  return there.length === 1 ? { ...there[0]!, appRef, revision: event.revision, atMs } : undefined
}
