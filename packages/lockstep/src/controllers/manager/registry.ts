/** All controllers beside those of modules. */
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { ControllerGroup } from '../runtime/controller.ts'
import type { ControllerContext } from '../cache/context.ts'
import type { ManagerOptions } from '../runtime/options.ts'
import { promotionOptions } from './promotionoptions.ts'
import { Promotions } from './promotions.ts'
import type { Sets } from '../clusterresourceset/sets.ts'
import { WeavePipelines } from '../weave/weavepipelines.ts'

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
