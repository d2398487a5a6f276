import { describe } from 'vitest'
import { openSimRepository } from '../../../../test/promote/simrepository.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import { openGitHost } from '../../../simulators/src/githost/githost.ts'
import { MemoryStore } from '../../../simulators/src/githost/memorystore.ts'
import { gitRepositoryCases, type RepositoryStage, TOKEN } from './gitrepository.cases.ts'
import { stage } from './repositorystage.cases.ts'

describe('a repository in a simulation', () => {
  gitRepositoryCases(async () => {
    const env = createSimEnv('repository')
    const double = openGitHost(env, {
      provider: 'github',
      token: TOKEN,
      repositories: { 'o/r': new MemoryStore() },
    })
    env.net.name('localhost', ['192.0.2.1'])
    env.net.serve('http://localhost:3000', double.handle)
    const run: RepositoryStage['run'] = async (work) => {
      let isDone = false
      const done = () => {
        isDone = true
      }
      work.then(done, done)
      await env.clock.run(() => isDone)
      return work
    }
    return stage(double, run, async (name, credentials) =>
      openSimRepository(env, `http://localhost:3000/${name}`, credentials),
    )
  }, /\/push$/)
})
