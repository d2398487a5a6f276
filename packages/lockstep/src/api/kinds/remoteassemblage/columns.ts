import { MANAGED_BY_LABEL } from '../../labels.ts'
import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type RemoteAssemblageSpec, remoteAssemblageSpec } from './spec.ts'
import { type RemoteAssemblageStatus, remoteAssemblageStatus } from './status.ts'

export type RemoteAssemblage = LockstepObject<RemoteAssemblageSpec, RemoteAssemblageStatus>
/** Assemblage of an external controller, which has labeled it `lockstep.dev/managed-by`. */
export type ExternalAssemblage = RemoteAssemblage

export const remoteAssemblageColumns: readonly PrinterColumn[] = [
  { name: 'Cluster', type: 'string', jsonPath: '.status.cluster' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
  // Empty where modules write it.
  {
    name: 'Managed By',
    type: 'string',
    jsonPath: `.metadata.labels.${MANAGED_BY_LABEL.replaceAll('.', '\\.')}`,
  },
  statusColumn,
  ageColumn,
]

export const remoteAssemblageKind = own<RemoteAssemblage>({
  kind: 'RemoteAssemblage',
  plural: 'remoteassemblages',
  singular: 'remoteassemblage',
  shortNames: ['rasm'],
  summary: 'A cluster, and the state of what the hub deploys to it.',
  spec: remoteAssemblageSpec,
  status: remoteAssemblageStatus,
  internal: true,
  columns: remoteAssemblageColumns,
})
