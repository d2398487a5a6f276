/** What one process of controllers is told of promotions. */
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { PromotionOptions } from '../promotion/index.ts'
import { GIT_AUTHOR, type ManagerOptions } from '../runtime/index.ts'

export const promotionOptions = (
  forges: GitAccessOpener,
  { term, identity, person }: ManagerOptions,
): PromotionOptions => ({
  forges,
  acting: { holder: identity ?? 'lockstep', term },
  person: person ?? GIT_AUTHOR,
})
