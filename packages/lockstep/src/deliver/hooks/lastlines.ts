/** The last lines that Pods of a hook wrote. Pure. */
import { secretKind } from '@lockstep/kube/kinds'
import { at, isArray, isString, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { configOf, podSpecOf } from '../../decisions/order/index.ts'

export const TAIL_LINES = 20

/** Names of the Secrets that a Pod reads: its output may hold their values. */
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
 * A log without the line at which the server stopped, since at most `limitBytes` were requested. Undefined: the log is one
 * line.
 */
export function wholeLines(log: string, limitBytes: number): string | undefined {
  if (new TextEncoder().encode(log).length < limitBytes) return log
  const end = log.lastIndexOf('\n')
  return end < 0 ? undefined : log.slice(0, end)
}

/** The last whole lines that fit into `most` bytes, or the end of one longer line. */
export function lastLines(text: string, most: number): string {
  const encoder = new TextEncoder()
  const lines = text.split('\n')
  while (lines.length > 1 && encoder.encode(lines.join('\n')).length > most) lines.shift()
  const bytes = encoder.encode(lines.join('\n'))
  return bytes.length <= most ? lines.join('\n') : `…${new TextDecoder().decode(bytes.slice(-most))}`
}
