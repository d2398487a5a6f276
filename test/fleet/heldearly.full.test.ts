/** A Hold that comes after a unit was assigned, and before anything of it is written down. */
import { expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { spawn } from '../simulation/process.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

/** A story whose controller died right after its first assignment. */
async function diedAssigning(): Promise<Story> {
  for (let write = 1; ; write++) {
    const story = await Story.begin(`held early ${write}`, ['edge'])
    story.manager.stop()
    const process = spawn(story.fleet.env, 'first', {
      delayMs: 1,
      lossRate: 0,
      dropRate: 0,
      crash: { write, after: true },
    })
    const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
    story.manager = startManager(
      process.env,
      createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
    )
    await story.config('web', configManifest('web', 'v1'))
    await story.module('web', 'web')
    expect(await story.until(() => !process.alive, 60)).toBe(true)
    const [unit] = story.fleet.inventories()
    if (unit && !at(unit, 'spec', 'admitted')) return story
  }
}

it('keeps it from beginning; once it is taken back the unit is delivered', async () => {
  const story = await diedAssigning()
  const hold = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name: 'h', namespace: NAMESPACE },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'web' },
      action: 'Suspend' as const,
      reason: 'test',
    },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, hold, { ...USER, force: true })))
  story.manager = story.fleet.startController()
  await story.pass(60)

  must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
  expect(await story.until(() => story.isReady('web'), 10)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})
