import { sshCases } from './ssh.cases.ts'

// All: `test/deep/git.test.ts`.
sshCases([
  ['a branch', 'v2'],
  ['a range', 'v2'],
  ['a branch with a commit of it', 'v2'],
  ['a commit', 'v0'],
])
