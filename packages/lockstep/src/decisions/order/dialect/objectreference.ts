/** `group/Kind/name` and `group/namespaces/ns/Kind/name`, as cli-utils writes references (`dependson/strings.go`). */
import type { AnnotationTarget } from '../orderoptions.ts'

export const REFERENCE_FORM = '[group]/Kind/name or [group]/namespaces/ns/Kind/name, separated by commas'

export function parseObjectReference(text: string): AnnotationTarget | undefined {
  const parts = text.trim().split('/')
  if (parts.length === 3) return target(parts[0]!, undefined, parts[1]!, parts[2]!)
  if (parts.length !== 5 || parts[1] !== 'namespaces') return undefined
  return target(parts[0]!, parts[2]!, parts[3]!, parts[4]!)
}

function target(
  group: string,
  namespace: string | undefined,
  kind: string,
  name: string,
): AnnotationTarget | undefined {
  if (kind === '' || name === '') return undefined
  return { group, kind, ...(namespace ? { namespace } : {}), name }
}

/** The same object, as text to compare. */
export const targetKey = (t: AnnotationTarget): string =>
  `${t.group}/${t.kind}/${t.namespace ?? ''}/${t.name}`
