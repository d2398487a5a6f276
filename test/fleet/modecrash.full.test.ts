/** Whoever writes single objects in their own way may die before or after any write. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { patience } from '../patience.ts'
import { spawn } from '../simulation/process.ts'
import { dataOf, listed, liveOf, marked, publish, ready, said } from './single.ts'
import { configManifest, Story } from './steps.ts'
import { deathsOf, someOf } from './writedeaths.ts'

const mode = (value: string, word: string): string => said('x', value, 'lockstep.dev/apply', word)
const beside = (text: string): string[] => [text, configManifest('stays', '1')]

/** From one bundle to the next, with a controller that dies at each of its writes in turn, and a successor that lives. */
async function eachDeath(
  name: string,
  before: string | undefined,
  after: string,
  check: (story: Story, from: number) => Promise<void>,
): Promise<number> {
  let deaths = 0
  for (const isAfter of [false, true]) {
    const { first: nth, step } = deathsOf(isAfter)
    for (let write = nth; ; write += step) {
      const story = await Story.begin(`${name} ${write} ${isAfter}`, ['edge'])
      if (before !== undefined) {
        await publish(story, beside(before))
        await ready(story)
      }
      story.manager.stop()
      const start = (what: string, crash?: { write: number; after: boolean }) => {
        const options = { delayMs: 1, lossRate: 0, dropRate: 0, ...(crash ? { crash } : {}) }
        const process = spawn(story.fleet.env, what, options)
        const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
        story.manager = startManager(
          process.env,
          createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
        )
        return process
      }
      const from = story.fleet.commits.length
      const first = start('first', { write, after: isAfter })
      await publish(story, beside(after))
      if (!(await story.until(() => !first.alive, 30))) break
      deaths++
      start('second')
      await ready(story)
      await story.pass(60)
      await check(story, from)
      expect(story.fleet.oracles.violations).toEqual([])
    }
  }
  return deaths
}

const ofX = (story: Story, from: number): string[] =>
  story.writes('edge', from).filter((w) => w.endsWith('default/x'))

describe('killed at any write', () => {
  it(
    'Replace: the whole is there in the end, by one PUT, and stays',
    async () => {
      const deaths = await eachDeath(
        'put',
        mode('1', 'Replace'),
        mode('2', 'Replace'),
        async (story, from) => {
          expect([dataOf(story), ofX(story, from)]).toEqual([{ value: '2' }, ['update configmaps default/x']])
        },
      )
      expect(deaths).toBeGreaterThan(someOf(6))
    },
    patience(120_000),
  )

  it(
    'IfNotPresent: created once, listed, and gone when the bundle no longer has it',
    async () => {
      const deaths = await eachDeath('create', undefined, mode('1', 'IfNotPresent'), async (story, from) => {
        expect([ofX(story, from), listed(story)]).toEqual([['create configmaps default/x'], ['stays', 'x']])
        await publish(story, configManifest('stays', '1'))
        await ready(story)
        expect(liveOf(story)).toBeUndefined()
      })
      expect(deaths).toBeGreaterThan(someOf(6))
    },
    patience(120_000),
  )

  it(
    'Override, then Observe: our marks are off, it is not listed, and nothing was deleted',
    async () => {
      const deaths = await eachDeath(
        'observe',
        configManifest('x', '1'),
        mode('2', 'Observe'),
        async (story) => {
          expect([dataOf(story), marked(liveOf(story)), listed(story)]).toEqual([
            { value: '1' },
            false,
            ['stays'],
          ])
        },
      )
      expect(deaths).toBeGreaterThan(someOf(6))
    },
    patience(120_000),
  )
})
