/** The token of a cluster is renewed, and stays out of all that people read. */
import { expect, it } from 'vitest'
import { RENEW_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { registerCluster, storedKubeconfig } from './registercluster.ts'
import { NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

/** Texts that people can read: objects of the hub but Secrets, and the log. */
const readable = (story: Story): string =>
  JSON.stringify([
    story.fleet.commits.filter((c) => c.resource !== 'secrets'),
    story.fleet.env.lines,
    story.fleet.env.meters.read(),
  ])

it('is replaced in the key kubeconfig alone, by the present one; the old and the new token are in nothing that people read', async () => {
  const story = await Story.begin('renewed', ['c1'])
  await registerCluster(story, 'c1', 600, { [RENEW_ANNOTATION]: '10m' })
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const before = story.fleet.hubApi.local.get('secrets', NAMESPACE, 'c1')!
  const old = storedKubeconfig(story, 'c1')
  expect(await story.until(() => storedKubeconfig(story, 'c1') !== old, 460)).toBe(true)
  const after = story.fleet.hubApi.local.get('secrets', NAMESPACE, 'c1')!
  const { kubeconfig: _, ...rest } = after.data as Record<string, string>
  expect(rest).toEqual({})
  expect(after.metadata.annotations).toEqual(before.metadata.annotations)
  expect(after.metadata.labels).toEqual(before.metadata.labels)
  await story.pass(5)
  const events = story.fleet.hubApi.local.list('events.events.k8s.io', NAMESPACE)
  expect(events.filter((e) => e.reason === 'CredentialRenewed')).toHaveLength(1)
  const tokens = [old, storedKubeconfig(story, 'c1')].map((text) => /token: (\S+)/.exec(text)![1]!)
  expect(tokens[0]).not.toBe(tokens[1])
  for (const token of tokens) expect(readable(story)).not.toContain(token.slice(-40))
}, 60_000)
