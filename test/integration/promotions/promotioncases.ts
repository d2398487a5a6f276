/** P1 to P20 and what crashes and races leave behind, where other processes, HTTP and git are real: one table for embedded and for real API servers. */
import { TIER } from '../../tier.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { afterGateCases } from './aftergate.cases.ts'
import { matrixCases } from './matrix.cases.ts'
import { onceCases } from './once.cases.ts'
import { peopleCases } from './people.cases.ts'
import { sourceCases } from './sources.cases.ts'
import { staleCases } from './stale.cases.ts'
import { strategyCases } from './strategies.cases.ts'
import { verifyCases } from './verify.cases.ts'

export const promotionCases: readonly FleetCase[] = [
  ...onceCases,
  ...matrixCases,
  ...peopleCases,
  ...strategyCases,
  ...verifyCases,
  ...sourceCases,
  ...afterGateCases,
  ...staleCases,
]

/** Cases that need real processes, HTTP and git; simulations play the others with the same API server. */
export const someOfThem = promotionCases
  .filter(({ name }) => /^(P2: kill -9 after the pull|P12:|P16: of|P19:)/.test(name))
  .map((c) => ({ ...c, isLong: !c.name.startsWith('P2:') }))

/** One case in the short tier. */
export const promotionsOfTier = someOfThem.filter(({ name }) => TIER !== 'short' || name.startsWith('P12:'))
