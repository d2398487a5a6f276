/** Of which kinds the objects are that inventories are made of, where their fields may be read. */
import type { RecordKind } from '../../api/records.ts'
import type { ClusterView } from '../clusters/cluster.ts'
import { clusterApiKinds } from './clusterapi.ts'
import { clusterProfileKinds } from './clusterprofile.ts'

/** The best version first; none: a Secret holds a credential, and the hub has no object. */
export function objectKindsOf({ kind }: Pick<ClusterView, 'kind'>): readonly RecordKind[] {
  if (kind === 'ClusterAPI') return clusterApiKinds
  return kind === 'ClusterProfile' ? clusterProfileKinds : []
}
