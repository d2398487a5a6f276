/** Merged values as the renderers of objects ask for them. */
import type { JsonObject } from '@lockstep/kube/object'
import { ValuesField } from './field.ts'
import type { Notes } from './notes.ts'

export interface Group {
  readonly values: ValuesField
  readonly global: ValuesField
  /** Of the cluster group. */
  readonly own: ValuesField
  readonly options: ValuesField
  /** Namespace of the Argo CD that delivers it. */
  readonly argoNamespace: ValuesField
  /** Only what the patterns operator installs beside Argo CD. */
  readonly isPlumbing: boolean
  readonly sequencing: Sequencing
}

/** How waits are kept open. */
export interface Sequencing {
  /** Jobs: by Jobs that poll, as the chart does it. Native: by waits of the bundle. */
  readonly mode: 'Native' | 'Jobs'
  /** Native: Jobs of `extraObjects` that do nothing else are waits, too. */
  readonly extraObjectWaits: boolean
}

export function groupOf(notes: Notes, merged: JsonObject, sequencing: Sequencing): Group {
  const values = new ValuesField(notes, [], merged)
  const [global, own] = [values.get('global'), values.get('clusterGroup')]
  const shared = global.get('vpArgoNamespace')
  const name = `${global.get('pattern').text}-${own.get('name').text}`
  return {
    values,
    global,
    own,
    options: global.get('options'),
    argoNamespace: global.get('singleArgoCD').isTruthy
      ? shared
      : new ValuesField(notes, own.get('name').path, name),
    isPlumbing: values.get('enabled').value === 'plumbing',
    sequencing,
  }
}
