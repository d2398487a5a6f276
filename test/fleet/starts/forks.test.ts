import { restartCases } from './forks.cases.ts'
import { SUBJECTS } from './forksubjects.ts'

restartCases(SUBJECTS.filter(({ isLarge }) => !isLarge))
