/** Steps and views of tests that remove many Modules. */
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { nextAllowance } from '../../packages/lockstep/src/controllers/module/removal/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { THREE } from './starts/manymodules.ts'
import type { Story } from './steps.ts'

export const exists = (story: Story, name: string): boolean =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name }) !== undefined

/** Number of objects on the clusters. */
export const there = (story: Story, names: readonly string[]): number =>
  names.flatMap((m) => THREE.filter((c) => story.live(c, 'configmaps', m) !== undefined)).length

export const deleteAll = async (story: Story, names: readonly string[]): Promise<void> => {
  for (const name of names) await story.deleteModule(name)
}

export const patched = async (story: Story, names: readonly string[], patch: (name: string) => object) => {
  for (const name of names)
    must(
      await story.during(
        story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name }, patch(name) as never, USER),
      ),
    )
}

export const blocked = (story: Story, names: readonly string[]): string[] =>
  names.filter((m) => exists(story, m)).flatMap((m) => story.blockers(m))

export const allowed = (story: Story, names: readonly string[]): Promise<void> =>
  patched(story, names, (m) => ({
    metadata: { annotations: { [ALLOW_REMOVAL_ANNOTATION]: nextAllowance(story.see(m)) } },
  }))
