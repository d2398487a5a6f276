import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../kube/src/env/node/nodelog.ts'
import { err, ok } from '../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import type { Secret } from '../../../kube/src/kinds/types.ts'
import { promotionSettings } from '../api/kinds/promotion/promotionsettings.ts'
import { GitAccessPool } from './gitaccesspool.ts'
import type { GitRepository } from './gitrepository.ts'
import { openAccess } from './openaccess.ts'

const secret = (resourceVersion = '1', name = 'git', token = 'x'): Secret =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    data: { token: btoa(token) },
    metadata: { namespace: 'ns', name, uid: name, resourceVersion },
  }) as never
const settings = (repository: string, more: object = {}) =>
  promotionSettings.parse({
    strategy: 'pull-request',
    pullRequest: {
      provider: 'github',
      url: `https://github.com/o/${repository}`,
      baseBranch: 'main',
      secretRef: { name: 'git' },
      ...more,
    },
  })

function forges() {
  const env = createSimEnv('forges')
  const log: string[] = []
  let isOut = false
  const made = new GitAccessPool(env, async (_, { url }) => {
    const name = url.text.replace(/.*\//, '')
    if (isOut) return err(`${name}: no git here`)
    log.push(`open ${name}`)
    const repository = {
      branches: async () => ok(new Map()),
      push: async () => ok('pushed'),
      close: async () => void log.push(`close ${name}`),
    }
    return ok(repository as unknown as GitRepository)
  })
  const open = async (repository: string, s = secret(), more: object = {}) => {
    const forge = await made.open(settings(repository, more), s)
    if (!forge.ok) throw new Error(forge.error)
    return forge.value
  }
  const pass = async (seconds: number): Promise<void> => {
    let isOver = false
    env.clock.at(env.clock.steady() + seconds * 1000, () => {
      isOver = true
    })
    await env.clock.run(() => isOver)
  }
  const without = (is: boolean) => {
    isOut = is
  }
  return { made, open, pass, log, without }
}

describe('a forge that is open', () => {
  it('is closed once nobody has used it for ten minutes, and opened again for who does', async () => {
    const { open, pass, log } = forges()
    const one = await open('a')
    await open('b')
    await pass(300)
    expect(await open('a')).toBe(one)
    await pass(300)
    expect(log).toEqual(['open a', 'open b', 'close b'])
    await pass(299)
    expect(log).toHaveLength(3)
    await pass(2)
    expect(log.at(-1)).toBe('close a')
    expect(await open('a')).not.toBe(one)
    expect(log.at(-1)).toBe('open a')
    await pass(601)
    expect(log.at(-1)).toBe('close a')
  })

  it('is in use also where somebody holds on to it', async () => {
    const { open, pass, log } = forges()
    const { repository } = await open('a')
    for (let i = 0; i < 5; i++) {
      await pass(500)
      await repository.branches(['main'], { timeoutMs: 1000 })
    }
    expect(log).toEqual(['open a'])
  })

  it('makes room for one with the credentials of now', async () => {
    const { open, log } = forges()
    await open('a')
    await open('a', secret('2', 'git', 'y'))
    expect(log).toEqual(['open a', 'open a', 'close a'])
  })

  it('that could not be opened is tried again the next time', async () => {
    const { made, open, without } = forges()
    without(true)
    expect(await made.open(settings('a'), secret())).toEqual(err('a: no git here'))
    without(false)
    await open('a')
  })

  it('shares what is open there with all of its repository and credential, whatever else they are told', async () => {
    const { open } = forges()
    const { poll } = await open('a')
    const of = async (repository: string, s = secret(), more: object = {}) =>
      (await open(repository, s, more)).poll === poll
    expect(await of('a', secret('1', 'copy'), { autoMerge: true, baseBranch: 'prod' })).toBe(true)
    expect(await of('a', secret('1', 'other', 'y'))).toBe(false)
    expect(await of('b')).toBe(false)
  })
})

describe('a token', () => {
  it('has one budget at its host, whether a pull request sends it or a push', async () => {
    const { made, open } = forges()
    const push = { url: 'https://github.com/o/b', branch: 'main', secretRef: { name: 'git' } }
    const pushes = promotionSettings.parse({ strategy: 'push', push })
    const pushing = async (token: string) => {
      const data = { username: btoa('x'), password: btoa(token) }
      const forge = await made.open(pushes, { ...secret('1', `push-${token}`), data })
      if (!forge.ok) throw new Error(forge.error)
      return forge.value.repository.push('main', 'c', 'b', { timeoutMs: 1000 })
    }
    const { repository } = await open('a', secret('1', 'git', 'same'))
    for (let i = 0; i < 60; i++)
      expect((await repository.push('x', 'c', 'absent', { timeoutMs: 1000 })).ok).toBe(true)
    expect(await pushing('same')).toMatchObject({ ok: false, error: { kind: 'RateLimited' } })
    expect(await pushing('other')).toEqual(ok('pushed'))
  })
})

describe('the directory of a repository', () => {
  const world = () => {
    const { clock } = createSimEnv('directories')
    const env = createNodeEnv(nodeLog('silent'))
    const dirs: string[] = []
    const tempDir: typeof env.files.tempDir = async (prefix) => {
      const made = await env.files.tempDir(prefix)
      if (made.ok) dirs.push(made.value)
      return made
    }
    const left = () => dirs.filter((d) => existsSync(d))
    return { env: { ...env, clock, files: { ...env.files, tempDir } }, clock, dirs, left }
  }

  it('goes with its forge', async () => {
    const { env, clock, left } = world()
    expect((await openAccess(env).open(settings('a'), secret())).ok).toBe(true)
    expect(left()).toHaveLength(1)
    let isOver = false
    clock.at(600_001, () => {
      isOver = true
    })
    await clock.run(() => isOver)
    await expect.poll(left).toEqual([])
  })

  it('goes where it cannot be made use of', async () => {
    const { env, dirs, left } = world()
    const files = { ...env.files, writeAtomic: async () => err({ kind: 'Failed', message: 'no space left' }) }
    const withCa = { ...secret(), data: { token: btoa('x'), 'ca.crt': btoa('CA') } }
    const opened = await openAccess({ ...env, files: files as never }).open(settings('a'), withCa)
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('no space left') })
    expect([dirs.length, left()]).toEqual([1, []])
  })
})
