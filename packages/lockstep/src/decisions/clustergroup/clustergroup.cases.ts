/** For tests: values as people write them, and what comes of them. */
import type { JsonObject, JsonValue } from '../../../../kube/src/object/index.ts'
import { type ClusterGroupInput, renderClusterGroup } from './render/renderclustergroup.ts'

/** Members of `clusterGroup` as YAML, below facts that most tests do not mean. */
export const hub = (members: string, top = ''): string =>
  `global: {pattern: p, repoURL: 'https://git/p'}\n${top}clusterGroup:\n  name: hub\n${members.replace(/^/gm, '  ')}\n`

/** Files `values.yaml`, `1.yaml` and so on. */
export const files = (...texts: readonly string[]): ClusterGroupInput['files'] =>
  texts.map((text, i) => ({ file: i === 0 ? 'values.yaml' : `${i}.yaml`, text }))

/** @throws if they are refused */
export function made(...texts: readonly string[]): {
  objects: readonly JsonObject[]
  warnings: readonly string[]
} {
  const result = renderClusterGroup({ files: files(...texts) })
  if (!result.ok) throw new Error(result.error.map((p) => p.text).join('\n'))
  return result.value
}

/** The objects of a kind. */
export const those = (kind: string, ...texts: readonly string[]): JsonObject[] =>
  made(...texts).objects.filter((o) => o.kind === kind)

/** What is refused, a line each behind its stage. */
export function refusal(...texts: readonly string[]): string[] {
  const result = renderClusterGroup({ files: files(...texts) })
  return result.ok ? [] : result.error.map((p) => `${p.stage}: ${p.text}`)
}

export const warnings = (...texts: readonly string[]): readonly string[] => made(...texts).warnings

/** What stands in it, without `apiVersion` and `kind`. */
export const bodyOf = ({ apiVersion: _, kind: __, ...body }: JsonObject): JsonValue => body
