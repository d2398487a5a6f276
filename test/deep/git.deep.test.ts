/** Git in full: what `npm test` plays a sample of. */
import { costCases } from '../../packages/lockstep/src/sources/git/cost.cases.ts'
import { pushCases, REQUESTS } from '../../packages/lockstep/src/sources/git/pushes.cases.ts'
import { ALL_SSH, sshCases } from '../../packages/lockstep/src/sources/git/ssh.cases.ts'

costCases('1 GiB of history', 1024)
for (const protocol of ['v2', 'v0'] as const)
  pushCases(
    protocol,
    Array.from({ length: REQUESTS[protocol] }, (_, n) => n),
  )
sshCases(ALL_SSH)
