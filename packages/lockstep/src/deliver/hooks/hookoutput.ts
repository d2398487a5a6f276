/** What a run's Pods have written, as it may be shown: pure. */
import { secretKind } from '@lockstep/kube/kinds'
import { at, base64ToBytes, isArray, isString, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { configOf, podSpecOf } from '../../decisions/order/index.ts'
import { formsOf, redactText } from '../state/redact.ts'

export const TAIL_LINES = 20

/** Names of the Secrets that a Pod is given: what it writes can have their values in it. */
export const secretsOfPod = (pod: KubeObject): string[] =>
  [...configOf(podSpecOf(pod) ?? {})].flatMap((id) =>
    id.startsWith(`${secretKind.kind}/`) ? [id.slice(secretKind.kind.length + 1)] : [],
  )

/** The Pod that failed last, else the newest; of a Pod the container that failed, else its first. */
export function outputContainerOf(
  pods: readonly KubeObject[],
): { readonly pod: KubeObject; readonly container: string } | undefined {
  const sorted = [...pods].sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
  const pod = sorted.filter((p) => at(p, 'status', 'phase') === 'Failed').at(-1) ?? sorted.at(-1)
  const name = pod && (failedContainer(pod) ?? at(pod, 'spec', 'containers', 0, 'name'))
  return pod && isString(name) ? { pod, container: name } : undefined
}

const ageOf = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp} ${metadata.name}`

function failedContainer(pod: KubeObject): JsonValue | undefined {
  const lists = [at(pod, 'status', 'initContainerStatuses'), at(pod, 'status', 'containerStatuses')]
  const statuses = lists.flatMap((list) => (isArray(list) ? list : []))
  const codeOf = (c: JsonValue): JsonValue | undefined =>
    at(c, 'state', 'terminated', 'exitCode') ?? at(c, 'lastState', 'terminated', 'exitCode')
  const failed = statuses.find((c) => typeof codeOf(c) === 'number' && codeOf(c) !== 0)
  return failed && at(failed, 'name')
}

/**
 * Whether a Secret has been written to after a Pod was made, to the second: the Pod may have been given other values. Who
 * has values in it, and when they were written, is in its managedFields.
 */
export function isSecretNewer({ metadata }: KubeObject, pod: KubeObject): boolean {
  const begun = pod.metadata.creationTimestamp ?? ''
  const writes = (metadata.managedFields ?? []).filter((f) =>
    ['f:data', 'f:stringData'].some((m) => at(f.fieldsV1, m)),
  )
  return [metadata.creationTimestamp, ...writes.map((f) => f.time)].some((t) => (t ?? '') > begun)
}

/**
 * A log without the line at which the server stopped, since so many bytes were asked for at most: half a value in it
 * would not be known for one. Undefined: it is one line.
 */
export function wholeLines(log: string, limitBytes: number): string | undefined {
  if (new TextEncoder().encode(log).length < limitBytes) return log
  const end = log.lastIndexOf('\n')
  return end < 0 ? undefined : log.slice(0, end)
}

/** The last whole lines that fit into so many bytes; of a single longer one its end. */
export function lastLines(text: string, most: number): string {
  const encoder = new TextEncoder()
  const lines = text.split('\n')
  while (lines.length > 1 && encoder.encode(lines.join('\n')).length > most) lines.shift()
  const bytes = encoder.encode(lines.join('\n'))
  return bytes.length <= most ? lines.join('\n') : `…${new TextDecoder().decode(bytes.slice(-most))}`
}

/** All values of Secrets, whole, by line and in base64, are taken out. */
export function redactedHookOutput(text: string, secrets: readonly KubeObject[]): string {
  return redactText(text, formsOf(secrets.flatMap(valuesOf)))
}

function valuesOf(secret: KubeObject): string[] {
  const members = (name: string): string[] =>
    Object.values((at(secret, name) ?? {}) as Record<string, JsonValue>).filter(isString)
  const decode = (text: string): string => new TextDecoder().decode(base64ToBytes(text))
  return [...members('data').map(decode), ...members('stringData')]
}
