import { rowsOfTier } from '../../../../../test/tier.ts'
import { pushCases } from './pushes.cases.ts'

// Before the list of references, the commit and the files of each of the two. All: `git.deep.test.ts`.
const before = { v2: [4, 7, 13], v0: [3, 5, 12] } as const
for (const protocol of ['v2', 'v0'] as const)
  pushCases(
    protocol,
    rowsOfTier(before[protocol], () => protocol),
  )
