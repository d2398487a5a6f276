import type { KubeObject } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'

/** Seconds until the end: as asked, negative meaning 1; kinds without grace end at once (apiserver `rest/delete.go`). */
export function gracePeriod(kind: ServedKind, live: KubeObject, asked: number | undefined): number {
  if (!kind.rules.grace) return 0
  if (asked === undefined) return kind.rules.grace(live)
  return asked < 0 ? 1 : asked
}
