import { costCases } from '../../src/source/git/cost.cases.ts'

costCases('1 GiB of history', 1024)
