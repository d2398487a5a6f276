/** What one process of controllers is told of promotions. */
import type { Forges } from '../../promote/forge.ts'
import type { ManagerOptions } from '../options.ts'
import type { PromotionOptions } from './work.ts'

/** On commits, unless somebody says otherwise: an address that nobody can have (RFC 2606). */
const PERSON = 'Lockstep <lockstep@invalid>'

export const promotionOptions = (
  forges: Forges,
  { term, identity, person }: ManagerOptions,
): PromotionOptions => ({
  forges,
  acting: { holder: identity ?? 'lockstep', term },
  person: person ?? PERSON,
})
