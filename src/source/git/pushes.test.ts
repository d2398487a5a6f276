import { pushCases } from './pushes.cases.ts'

// Before the list of references, the commit and the files of each of the two. All: `test/deep/git.test.ts`.
pushCases('v2', [4, 7, 13])
pushCases('v0', [3, 5, 12])
