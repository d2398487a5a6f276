import { runAttacks } from '../tenancy/runattacks.ts'
import { realTenancy } from './realtenancy.ts'

runAttacks(realTenancy)
