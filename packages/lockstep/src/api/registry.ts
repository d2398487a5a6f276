/** Our kinds: one entry gives the CRD, RBAC, columns, validation and the commands that know it. */

import { approvalKind } from './kinds/approval/columns.ts'
import { setBindingKind, setKind } from './kinds/clusterresourceset/columns.ts'
import { disruptionBudgetKind } from './kinds/disruptionbudget/columns.ts'
import { holdKind } from './kinds/hold/columns.ts'
import { inventoryKind } from './kinds/inventory/columns.ts'
import { bootstrapModuleKind, moduleKind } from './kinds/module/columns.ts'
import type { OwnKind } from './kinds/ownkind.ts'
import { pipelineKind } from './kinds/pipeline/columns.ts'
import { promotionKind } from './kinds/promotion/columns.ts'
import { remoteAssemblageKind } from './kinds/remoteassemblage/columns.ts'

export const ownKinds: readonly OwnKind[] = [
  moduleKind,
  bootstrapModuleKind,
  holdKind,
  approvalKind,
  disruptionBudgetKind,
  pipelineKind,
  promotionKind,
  remoteAssemblageKind,
  inventoryKind,
]

/** Kinds of Cluster API that we serve; defined by us only where it is not. */
export const sharedKinds: readonly OwnKind[] = [setKind, setBindingKind] as unknown as readonly OwnKind[]
