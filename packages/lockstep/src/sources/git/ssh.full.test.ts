import { rowsOfTier } from '../../../../../test/tier.ts'
import { ALL_SSH, sshCases } from './ssh.cases.ts'

sshCases(rowsOfTier(ALL_SSH, ([, protocol]) => protocol))
