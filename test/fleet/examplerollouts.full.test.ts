/** The modules of examples/rollouts on five clusters: the canary, consent, then the others, never two at once. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { peakOf } from './budgets.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const FORCED = { ...USER, force: true } as const
const KINDS = { Module: moduleKind, DisruptionBudget: disruptionBudgetKind } as const
const EXAMPLE = 'examples/rollouts/careful.yaml'

const examples = () => parseYamlStream(readFileSync(EXAMPLE, 'utf8')) as unknown as KubeObject[]

async function consent(story: Story, name: string): Promise<void> {
  const spec = {
    targetRef: { kind: 'Module' as const, name: 'gateway' },
    stage: 'canary',
    point: 'After' as const,
    approvedBy: 'ann',
    revisionHash: story.see('gateway').status!.currentRevision!,
  }
  const body = { apiVersion: API_VERSION, kind: 'Approval', metadata: { namespace: NAMESPACE, name }, spec }
  must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
}

it('the canary, consent, then the others: one cluster at a time, whichever module it is', async () => {
  const story = await Story.begin('example rollouts', ['c1', 'c2', 'c3', 'c4', 'c5'], { delays: LIFELIKE })
  const canary = { metadata: { labels: { tier: 'canary' } } }
  must(
    await story.during(story.fleet.hub.patch(secretKind, { namespace: NAMESPACE, name: 'c1' }, canary, USER)),
  )
  for (const d of examples())
    must(await story.during(story.fleet.hub.apply(KINDS[d.kind as keyof typeof KINDS] as never, d, FORCED)))
  const waits = () => story.blockers('gateway').some((b) => b.startsWith('AwaitingApproval'))
  expect(await story.until(waits, 300), story.blockers('gateway').join('\n')).toBe(true)
  expect(story.inventory('gateway', 'c2')).toBeUndefined()
  await consent(story, 'yes')
  const isOver = () => story.isReady('gateway') && story.isReady('agents')
  expect(await story.until(isOver, 600), story.blockers('gateway').join('\n')).toBe(true)
  expect(peakOf(story)).toBe(1)

  for (const d of examples().filter((d) => d.kind === 'Module')) {
    const text = JSON.stringify(d).replaceAll('2026.11', '2026.12').replace('1.4.2', 'broken')
    must(await story.during(story.fleet.hub.apply(moduleKind, JSON.parse(text), FORCED)))
  }
  story.fleet.clusters.get('c1')!.world.fail({ image: 'gateway:broken', outcome: 'ImagePull' })
  const isBack = () => story.see('gateway').status?.rollout?.phase === 'RolledBack'
  expect(await story.until(isBack, 1200), story.blockers('gateway').join('\n')).toBe(true)
  expect(peakOf(story)).toBe(1)
  expect(story.fleet.oracles.violations).toEqual([])
  expect(story.fleet.rollouts.problems).toEqual([])
})
