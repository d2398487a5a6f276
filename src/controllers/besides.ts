/** All controllers beside those of modules. */
import type { Forges } from '../../packages/lockstep/src/gitproviders/gitaccess.ts'
import type { Beside } from './beside.ts'
import type { Context } from './context.ts'
import type { ManagerOptions } from './options.ts'
import { promotionOptions } from './promotions/options.ts'
import { Promotions } from './promotions/promotions.ts'
import type { Sets } from './sets/sets.ts'
import { WeavePipelines } from './weave/weave.ts'

export const besidesOf = (c: Context, sets: Sets, forges: Forges, options: ManagerOptions): Beside[] => [
  sets,
  new Promotions(c, promotionOptions(forges, options)),
  ...(options.weave ? [new WeavePipelines(c, options.weave)] : []),
]
