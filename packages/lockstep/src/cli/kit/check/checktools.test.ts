import { expect, it } from 'vitest'
import type { Processes } from '../../../../../kube/src/env/processes.ts'
import { noProcesses } from '../../../../../kube/src/env/processes.ts'
import { checkTools } from './checktools.ts'

const holding = (said: Readonly<Record<string, string>>): Processes => ({
  find: async (program) => (program in said ? `/bin/${program}` : undefined),
  run: async (program) => ({
    ok: true,
    value: {
      code: 0,
      stdout: new TextEncoder().encode(program === 'ssh' ? '' : said[program]),
      stderr: program === 'ssh' ? said[program]! : '',
    },
  }),
})

it.each([
  [
    { git: 'git version 2.39.5', ssh: 'OpenSSH_9.2p1 Debian-2+deb12u3, OpenSSL 3.0.15', kustomize: 'v5.6.0' },
    ['ok 2.39.5', 'ok 9.2p1', 'ok kustomize v5.6.0', 'missing not on the PATH'],
  ],
  [
    { kubectl: 'Client Version: v1.33.4\nKustomize Version: v5.6.0', helm: 'v3.14.4+g81c902a' },
    ['missing not on the PATH', 'missing not on the PATH', 'ok kubectl v1.33.4', 'ok v3.14.4+g81c902a'],
  ],
])('%j', async (said, expected) => {
  const found = await checkTools(holding(said))
  expect(found.map((f) => `${f.state} ${f.found}`)).toEqual(expected)
})

it('each that is missing says who needs it', async () => {
  const found = await checkTools(noProcesses)
  expect(found.map((f) => [f.state, f.for])).toEqual([
    ['missing', 'source.git, pull requests and pushes'],
    ['missing', 'source.git with an ssh:// address'],
    ['missing', 'render.kustomize'],
    ['missing', 'render.helm'],
  ])
})
