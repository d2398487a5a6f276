/** A ControllerRevision with our label that is none of ours: it harms no Module, and stays. */
import { expect, it } from 'vitest'
import { controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import { MODULE_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'someone', precondition: 'any' } as const

it.each([
  ['no data', undefined],
  [
    'a text for a list',
    { kind: 'Module', module: 'x', revision: 'v1:a', bundle: 'b', spec: {}, inputs: 'x' },
  ],
  [
    'settings that do not exist',
    {
      kind: 'Module',
      module: 'x',
      revision: 'v1:a',
      bundle: 'b',
      sourceRevision: 's',
      spec: { apply: { drift: 'Never', driftInterval: 'soon' } },
      inputs: [],
    },
  ],
])('with %s: Modules are delivered beside it, before and after a restart', async (what, data) => {
  const story = await Story.begin(`unreadable ${what}`, ['c1'])
  const body = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'x-bad', namespace: NAMESPACE, labels: { [MODULE_LABEL]: 'm.x' } },
    revision: 7,
    ...(data === undefined ? {} : { data }),
  }
  must(await story.during(story.fleet.hub.create(controllerRevisionKind, body as never, USER)))
  await story.config('x', configManifest('x', '1'))
  await story.module('x', 'x')
  expect(await story.until(() => story.isReady('x'))).toBe(true)
  story.manager.stop()
  story.manager = story.fleet.startController()
  await story.config('y', configManifest('x', '2'))
  await story.module('x', 'y')
  const isNew = () => JSON.stringify(story.live('c1', 'configmaps', 'x')?.data) === '{"value":"2"}'
  expect(await story.until(isNew)).toBe(true)
  expect(story.fleet.objects('controllerrevisions.apps').map((r) => r.metadata.name)).toContain('x-bad')
})
