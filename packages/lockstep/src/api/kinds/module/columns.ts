import { SOURCE_BEHIND } from '../../conditions.ts'
import { type LockstepObject, own } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type ModuleSpec, moduleSpec } from './spec.ts'
import { type ModuleStatus, moduleStatus } from './status.ts'

/** Module and BootstrapModule differ in their kind and in what may deliver them, not in their fields. */
export type Module = LockstepObject<ModuleSpec, ModuleStatus>

export const moduleColumns: readonly PrinterColumn[] = [
  { name: 'Release', type: 'string', jsonPath: '.status.release' },
  { name: 'Source', type: 'string', jsonPath: '.status.sourceRevision' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
  { name: 'Updated', type: 'string', jsonPath: '.status.updated' },
  statusColumn,
  {
    name: 'Behind',
    type: 'string',
    jsonPath: `.status.conditions[?(@.type=="${SOURCE_BEHIND}")].status`,
    priority: 1,
  },
  ageColumn,
]

const moduleRules = [
  {
    rule: '!has(self.spec.dependsOn) || !self.spec.dependsOn.exists(e, has(e.module) && e.module.kind == self.kind && e.module.name == self.metadata.name)',
    message: 'must not contain the Module itself',
    fieldPath: '.spec.dependsOn',
  },
]

export const moduleKind = own<Module>({
  kind: 'Module',
  plural: 'modules',
  singular: 'module',
  shortNames: ['mod'],
  summary: 'Configuration with one version, deployed to the clusters that it targets.',
  spec: moduleSpec,
  status: moduleStatus,
  sourced: true,
  columns: moduleColumns,
  rules: moduleRules,
})

export const bootstrapModuleKind = own<Module>({
  kind: 'BootstrapModule',
  plural: 'bootstrapmodules',
  singular: 'bootstrapmodule',
  shortNames: ['bmod'],
  summary:
    'Module that is always applied from the hub, for objects that a cluster needs before it can run an agent.',
  spec: moduleSpec,
  status: moduleStatus,
  sourced: true,
  columns: moduleColumns,
  rules: moduleRules,
})
