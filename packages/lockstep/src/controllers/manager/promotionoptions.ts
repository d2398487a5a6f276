/** What one process of controllers is told of promotions. */
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import { GIT_AUTHOR, type ManagerOptions } from '../runtime/options.ts'
import type { PromotionOptions } from '../promotion/strategies/strategy.ts'

export const promotionOptions = (
  forges: GitAccessOpener,
  { term, identity, person }: ManagerOptions,
): PromotionOptions => ({
  forges,
  acting: { holder: identity ?? 'lockstep', term },
  person: person ?? GIT_AUTHOR,
})
