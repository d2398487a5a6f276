/** A module with hooks on one cluster, and what people do about it. */
import { expect } from 'vitest'
import { inventoryKind, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

export const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

export async function begun(name: string, text: string, o: object = {}): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('v1', text)
  await story.module('m', 'v1', o)
  return story
}

export async function delivered(name: string, text: string, o: object = {}): Promise<Story> {
  const story = await begun(name, text, o)
  expect(await story.until(() => story.isReady('m')), story.blockers('m').join('\n')).toBe(true)
  return story
}

export async function next(story: Story, source: string, text: string, o: object = {}): Promise<void> {
  await story.config(source, text)
  await story.module('m', source, o)
}

export const isThere = (story: Story, resource: string, name: string): boolean =>
  story.live('edge', resource, name) !== undefined

/** Somebody says `lockstep rollout retry`. */
export async function retry(story: Story, which: 'Failed' | 'All'): Promise<void> {
  const { hub } = story.fleet
  const key = { namespace: NAMESPACE, name: 'm.m.edge' }
  const hooks = { metadata: { annotations: { 'lockstep.dev/retry-hooks': which } } }
  must(await story.during(hub.patch(inventoryKind, key, hooks, USER)))
  const rollout = { metadata: { annotations: { 'lockstep.dev/retry': String(story.fleet.env.clock.now()) } } }
  must(await story.during(hub.patch(moduleKind, { ...key, name: 'm' }, rollout, USER)))
}

export const dataOf = (story: Story, name: string): unknown =>
  (story.live('edge', 'configmaps', name)?.data as Record<string, unknown> | undefined)?.value

export const unitBlockers = (story: Story): string[] =>
  (story.inventory('m', 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)
