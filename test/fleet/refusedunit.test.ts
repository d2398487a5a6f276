/** A unit on the hub whose account lacks the rights: nothing of it is written, so nothing keeps its deletion waiting. */
import { expect, it } from 'vitest'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { accountsAdmin, clusterRoleBindingKind } from './accountrights.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const MODULE = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'web', namespace: NAMESPACE },
  spec: {
    source: {
      inline: {
        objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: NAMESPACE } }],
      },
    },
    targets: { hub: true },
  },
}

async function refused(name: string): Promise<Story> {
  const story = await Story.begin(name, [])
  const binding = { name: accountsAdmin().metadata.name! }
  must(await story.during(story.fleet.hub.delete(clusterRoleBindingKind, binding, USER)))
  must(await story.during(story.fleet.hub.apply(moduleKind, MODULE as never, USER)))
  await story.pass(30)
  expect(story.blockers('web').join()).toMatch(/1 of 1 objects are refused, nothing was written$/)
  return story
}

it('is deleted at once, although its account cannot list the kind', async () => {
  const story = await refused('refused and deleted')
  await story.deleteModule('web')
  const isGone = () =>
    story.manager.hub.modules.store.get({ namespace: NAMESPACE, name: 'web' }) === undefined
  expect(await story.until(isGone, 10)).toBe(true)
  expect(story.fleet.stored('inventories.lockstep.dev')).toEqual([])
})

it('is delivered once the account has the rights', async () => {
  const story = await refused('refused and granted')
  must(await story.during(story.fleet.hub.apply(clusterRoleBindingKind, accountsAdmin(), USER)))
  expect(await story.until(() => story.isReady('web'), 30)).toBe(true)
  expect(story.fleet.stored('configmaps')).toContain('web')
  expect(story.fleet.oracles.violations).toEqual([])
})
