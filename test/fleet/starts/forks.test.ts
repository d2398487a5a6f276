import { SUBJECTS } from './comparing.ts'
import { restartCases } from './forks.cases.ts'

restartCases(SUBJECTS.filter(({ isLarge }) => !isLarge))
