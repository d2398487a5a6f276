/** All controllers beside those of modules. */
import type { Forges } from '../../gitproviders/gitaccess.ts'
import type { Beside } from '../runtime/controller.ts'
import type { Context } from '../cache/context.ts'
import type { ManagerOptions } from '../runtime/options.ts'
import { promotionOptions } from './promotionoptions.ts'
import { Promotions } from './promotions.ts'
import type { Sets } from '../clusterresourceset/sets.ts'
import { WeavePipelines } from '../weave/weavepipelines.ts'

export const besidesOf = (c: Context, sets: Sets, forges: Forges, options: ManagerOptions): Beside[] => [
  sets,
  new Promotions(c, promotionOptions(forges, options)),
  ...(options.weave ? [new WeavePipelines(c, options.weave)] : []),
]
