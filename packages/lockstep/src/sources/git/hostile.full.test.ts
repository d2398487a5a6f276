import { rowsOfTier } from '../../../../../test/tier.ts'
import { hostile, hostileCases } from './hostile.cases.ts'

hostileCases(rowsOfTier(hostile, ({ group }) => group))
