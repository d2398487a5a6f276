/** All controllers beside those of modules. */
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { ControllerContext } from '../cache/index.ts'
import type { Sets } from '../clusterresourceset/index.ts'
import type { ControllerGroup, ManagerOptions } from '../runtime/index.ts'
import { WeavePipelines } from '../weave/index.ts'
import { promotionOptions } from './promotionoptions.ts'
import { Promotions } from './promotions.ts'

export const controllerGroups = (
  c: ControllerContext,
  sets: Sets,
  forges: GitAccessOpener,
  options: ManagerOptions,
): ControllerGroup[] => [
  sets,
  new Promotions(c, promotionOptions(forges, options)),
  ...(options.weave ? [new WeavePipelines(c, options.weave)] : []),
]
