import { costCases } from './cost.cases.ts'

costCases('64 MiB of history', 64)
