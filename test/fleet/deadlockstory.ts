/** Modules that come to wait for each other. */
import { expect } from 'vitest'
import { configManifest, deploymentManifest, type ModuleOptions, Story } from './steps.ts'

export const put = (story: Story, name: string, o: ModuleOptions = {}, source = name): Promise<void> =>
  story.module(name, source, o)

/** `Ready Reconciling Stalled`, and the reason of Ready. */
export function conditions(story: Story, name: string): string {
  const list = story.see(name).status?.conditions ?? []
  const is = (type: string) => (list.find((c) => c.type === type)?.status ?? '?')[0]
  return `${is('Ready')}${is('Reconciling')}${is('Stalled')} ${list.find((c) => c.type === 'Ready')?.reason}`
}

/** Sources `a` and `b` (ConfigMaps), and `a-2` and `b-2` (Deployments). */
export async function sourcesOfDeadlock(name: string, clusters: readonly string[]): Promise<Story> {
  const story = await Story.begin(name, clusters)
  for (const n of ['a', 'b']) {
    await story.config(n, configManifest(n, '1'))
    await story.config(`${n}-2`, deploymentManifest(n, `${n}:2`))
  }
  return story
}

/** `b` depends on `a`, both at r1 on c1 and c2. */
export async function pairOfDeadlock(name: string): Promise<Story> {
  const story = await sourcesOfDeadlock(name, ['c1', 'c2'])
  await put(story, 'a', { release: 'r1' })
  await put(story, 'b', { release: 'r1', dependsOn: ['a'] })
  await bothReady(story)
  return story
}

export async function bothReady(story: Story, seconds = 120): Promise<void> {
  expect(await story.until(() => story.isReady('a') && story.isReady('b'), seconds)).toBe(true)
}

/** Both report it within 70 seconds; the message of `b`. */
export async function bothStuck(story: Story): Promise<string> {
  const areStuck = () => ['a', 'b'].every((m) => conditions(story, m) === 'FFT Deadlock')
  expect(await story.until(areStuck, 70)).toBe(true)
  return story.blockers('b')[0]!
}
