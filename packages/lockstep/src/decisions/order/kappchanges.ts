/** What kapp's annotations and Configs say of the changes of one live object: its groups, and its rules. */
import { isString, type KubeObject } from '@lockstep/kube/object'
import { type AnnotationNote, type Dialects, dialectsReader } from './dialect/dialects.ts'
import { kappConfigs } from './dialect/kappconfig.ts'
import type { WeighedRule } from './orderoptions.ts'

export interface KappChanges {
  readonly groups: readonly string[]
  readonly rules: readonly WeighedRule[]
}

const PREFIX = 'kapp.k14s.io/change-'

/**
 * Reads each annotation for itself: one that nobody understands, which may be anybody's, says nothing. `configs` are
 * those of the bundle that is delivered now, since kapp asks them about all that it changes.
 */
export function kappChangesReader(
  dialects: Dialects | undefined,
  configs: readonly KubeObject[],
): (o: KubeObject) => KappChanges {
  const read = dialectsReader(dialects)
  const bindings = kappConfigs(configs)
  return (o) => {
    const bound = bindings.ok ? bindings.value(o) : undefined
    const notes: AnnotationNote[] = bound?.ok ? [...bound.value] : []
    for (const [key, value] of Object.entries(o.metadata.annotations ?? {})) {
      if (!key.startsWith(PREFIX) || !isString(value)) continue
      const said = read({ ...o, metadata: { ...o.metadata, labels: {}, annotations: { [key]: value } } })
      if (said.ok) notes.push(...said.value)
    }
    return {
      groups: [...new Set(notes.flatMap((n) => n.effect.groups ?? []))],
      rules: notes.flatMap((n) => n.effect.rules ?? []),
    }
  }
}
