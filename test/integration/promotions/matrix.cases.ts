/** What a leader may find when somebody has died, or has done something else meanwhile, and the only end that is allowed. */
import { expect } from 'vitest'
import { holdKind } from '../../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { keyInBody } from '../../../packages/lockstep/src/decisions/promotion/trailers.ts'
import type { HostKind } from '../../../packages/simulators/src/githost/githost.ts'
import type { FaultMatch } from '../../../packages/simulators/src/githost/hostfault.ts'
import type { FleetCase } from '../fleet.cases.ts'
import { CREATE, PUSH, withProcess } from './once.cases.ts'
import { AUTO, type PromotionStage, REPOSITORY, withPlace } from './promotionstage.ts'

const EDIT: FaultMatch = { method: 'PATCH', path: /\/pulls\/\d+$/ }
const NEXT = [2, '6.1.0'] as const
const NEWER = [3, '6.2.0'] as const

const of = (name: string, work: (p: PromotionStage) => Promise<void>, provider?: HostKind): FleetCase => ({
  name,
  patienceSeconds: 150,
  run: (c) => withPlace(c, work, provider),
})

/** Its branch and the commit on it, once its pull request is open. */
async function opened(place: PromotionStage): Promise<{ readonly branch: string; readonly commit: string }> {
  const { status } = await place.untilPhase(NEXT, 'Open')
  return { branch: status!.intent!.branch!, commit: status!.intent!.commit! }
}

const bases = async (place: PromotionStage): Promise<string> => (await place.store.branches()).get('main')!

export const matrixCases: readonly FleetCase[] = [
  of(
    'X4: a person has squashed the pull request with words of their own, and deleted its branch',
    async (place) => {
      await place.settled()
      await place.runs('dev', '6.1.0')
      const { branch } = await opened(place)
      await place.repository.merge(1, { method: 'squash', by: 'person', message: 'mine' })
      await place.repository.deleteBranch(branch)
      place.once(await place.succeeds(NEXT))
      expect(place.pulls()).toEqual(['#1 merged 6.1.0'])
    },
  ),
  {
    name: 'X6: kill -9 after the push to the base, which somebody reverts: not done again, and held',
    alone: true,
    patienceSeconds: 180,
    run: (c) =>
      withProcess(c, (replicas, first) =>
        withPlace(c, async (place) => {
          await place.settled({ strategy: 'push', push: place.push })
          const dead = new Promise<void>((resolve) => {
            const act = async () => {
              first.kill('SIGKILL')
              await first.ended
              resolve()
            }
            place.host.faults.add({ ...PUSH, nth: 1 }, { kind: 'after', act })
          })
          await place.runs('dev', '6.1.0')
          await dead
          await place.repository.revert(await bases(place))
          await replicas.start()
          const failed = await place.untilPhase(NEXT, 'Failed')
          expect(failed.status?.reason).toBe('RevertedInGit')
          await c.until(c.hub, holdKind, 'podinfo-prod-2-reverted', 'made', (h) => h !== undefined)
          await place.quiet(3)
          expect(await place.atBase()).toBe('6.0.0')
          place.once(failed, 0)
        }),
      ),
  },
  {
    name: 'X10: who loses the Lease while its request is under way does nothing with the answer; the next one looks it up',
    alone: true,
    patienceSeconds: 180,
    run: (c) =>
      withProcess(c, (replicas, first) =>
        withPlace(c, async (place) => {
          await place.settled(AUTO)
          const second = await replicas.start()
          const act = async () => {
            first.kill('SIGSTOP')
            await second.said('leads')
          }
          place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'before', act })
          await place.runs('dev', '6.1.0')
          await second.said('leads')
          first.kill('SIGCONT')
          expect((await first.ended).code).toBe(1)
          place.once(await place.succeeds(NEXT))
        }),
      ),
  },
  of('X11: the base is rewritten before the push: the same change is made on the new one', async (place) => {
    await place.settled(AUTO)
    const first = await bases(place)
    await place.repository.push('main', { 'note.md': 'x' }, 'More')
    const act = () => place.repository.forcePush('main', first)
    place.host.faults.add({ ...PUSH, nth: 1 }, { kind: 'before', act })
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT))
  }),
  of('X11: the base is rewritten after it was done: held, and not done again', async (place) => {
    await place.settled(AUTO)
    const first = await bases(place)
    await place.runs('dev', '6.1.0')
    const done = await place.succeeds(NEXT)
    const { name } = done.metadata
    await place.untilEnvironment('prod', 'seen at what was promoted', (e) => e.arrived === name)
    await place.repository.forcePush('main', first)
    await place.deliver()
    await place.c.until(place.c.hub, holdKind, 'podinfo-prod-2-left', 'made', (h) => h !== undefined)
    await place.quiet(3)
    expect(await place.atBase()).toBe('6.0.0')
    place.once(done)
  }),
  of('X11: the same line is changed at the base: rebuilt once, on the same pull request', async (place) => {
    await place.settled(AUTO)
    place.repository.needsChecks = true
    await place.runs('dev', '6.1.0')
    await opened(place)
    await place.repository.push('main', { 'apps/prod.yaml': place.file('6.0.9') }, 'Mine')
    place.repository.block(1, false)
    const done = await place.succeeds(NEXT)
    expect(done.status?.rebuilt).toBe(1)
    place.once(done)
  }),
  of('X12: the branch is deleted before there is a pull request: it is pushed again', async (place) => {
    await place.settled(AUTO)
    const act = async () => {
      const [branch = ''] = (await place.branches()).filter((b) => b !== 'main')
      await place.repository.deleteBranch(branch)
    }
    place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'before', act })
    await place.runs('dev', '6.1.0')
    place.once(await place.succeeds(NEXT))
  }),
  of(
    'X12: the branch of an open pull request is deleted: rejected for good; who reopens it is told',
    async (place) => {
      await place.settled()
      await place.runs('dev', '6.1.0')
      const { branch, commit } = await opened(place)
      await place.repository.deleteBranch(branch)
      await place.untilPhase(NEXT, 'Rejected')
      // Not at the very moment in which we clean up: the branch would be taken for one that is left.
      await place.quiet(3)
      await place.repository.forcePush(branch, commit)
      expect(await place.repository.reopen(1)).toBe(true)
      const told = () => place.repository.pulls.get(1)?.comments.some((text) => text.includes('has ended'))
      // Its host is looked at once a minute.
      for (let i = 0; i < 75 && !told(); i++) await place.quiet(1)
      expect(told()).toBe(true)
      await place.untilPhase(NEXT, 'Rejected')
      expect(place.pulls()).toEqual(['#1 open 6.1.0'])
    },
  ),
  of(
    'X13: the body is emptied by a person: adopted by its branch, and the key is put back',
    async (place) => {
      await place.settled()
      const emptied: (string | undefined)[] = []
      const act = async () => void emptied.push((await place.repository.edit(1, { body: '' }))?.body)
      place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'after', act })
      place.host.faults.add({ ...CREATE, nth: 1 }, { kind: 'lose' })
      await place.runs('dev', '6.1.0')
      await opened(place)
      while (keyInBody(place.repository.pulls.get(1)?.body ?? '') === undefined) await place.quiet(1)
      expect(emptied).toEqual([''])
      await place.repository.merge(1, { method: 'merge', by: 'person' })
      place.once(await place.succeeds(NEXT))
    },
  ),
  of(
    'X14: the old pull request is merged while it is to be closed: it converges, and the base ends at the new one',
    async (place) => {
      await place.settled()
      await place.runs('dev', '6.1.0')
      await opened(place)
      const act = async () => void (await place.repository.merge(1, { method: 'merge', by: 'person' }))
      place.host.faults.add({ ...EDIT, nth: 1 }, { kind: 'before', act })
      await place.runs('dev', '6.2.0')
      await place.untilPhase(NEXT, 'Converging')
      await place.deliver()
      await place.untilPhase(NEWER, 'Open')
      await place.repository.merge(2, { method: 'merge', by: 'person' })
      await place.succeeds(NEWER)
      expect(place.pulls()).toEqual(['#1 merged 6.1.0', '#2 merged 6.2.0'])
    },
  ),
  of(
    'X15: the token is another one: it waits for the Secret, and goes on without an attempt',
    async (place) => {
      await place.settled(AUTO)
      place.host.rotate('new')
      await place.runs('dev', '6.1.0')
      await place.untilWaits(NEXT, 'CredentialsRejected')
      await place.secret('git', { token: 'new' })
      const done = await place.succeeds(NEXT)
      expect(done.status?.attempt).toBeUndefined()
      place.once(done)
    },
  ),
  ...(['its host and git', 'its host', 'git'] as const).map((who) =>
    of(`X15: the repository is gone, ${who} say so: it fails, and names it`, async (place) => {
      await place.settled()
      const path = new RegExp({ 'its host and git': '', 'its host': '^/api/', git: '/info/refs' }[who])
      place.host.faults.add({ path }, { kind: 'status', status: 404 })
      await place.runs('dev', '6.1.0')
      const failed = await place.untilPhase(NEXT, 'Failed')
      expect(failed.status).toMatchObject({
        reason: 'RepositoryNotFound',
        message: expect.stringContaining(`${place.url}/${REPOSITORY}`),
      })
    }),
  ),
  ...(['gitlab', 'gitea'] as const).map((provider) =>
    of(
      `X3: ${provider} loses the answer of the pull request: it is found by its branch, and merged once`,
      async (place) => {
        await place.settled(AUTO)
        place.host.faults.add({ method: 'POST', path: /\/(pulls|merge_requests)$/, nth: 1 }, { kind: 'lose' })
        await place.runs('dev', '6.1.0')
        place.once(await place.succeeds(NEXT))
        expect(place.pulls()).toEqual(['#1 merged 6.1.0'])
      },
      provider,
    ),
  ),
]
