/** What hooks have written, told in an Event (`helm.sh/hook-output-log-policy`). */
import { expect, it } from 'vitest'
import { jobHook, podHook, together } from './hookspecs.ts'
import { begun, unitBlockers } from './hookstory.ts'
import type { Story } from './steps.ts'

const LOG = 'helm.sh/hook-output-log-policy'

const told = (story: Story): string[] =>
  story.fleet.commits.flatMap(({ cluster, resource, next }) =>
    cluster === 'hub' && resource.startsWith('events') && next?.reason === 'HookOutput'
      ? [`${next.type} ${next.message ?? next.note}`]
      : [],
  )

const SECRET = `${JSON.stringify({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'default', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
  stringData: { password: 'hunter22' },
})}\n`

const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }]

it('a Job that fails and reads a Secret: nothing of its output', async () => {
  const hook = JSON.parse(
    jobHook('seed', undefined, {
      annotations: { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '1', [LOG]: 'hook-failed' },
    }),
  )
  hook.spec.template.spec.containers[0].env = env
  const secret = SECRET.replace('argocd.argoproj.io/hook', 'helm.sh/hook').replace('PreSync', 'pre-install')
  const story = await begun('output failed', together(secret, `${JSON.stringify(hook)}\n`))
  const output = 'connecting as hunter22\npermission denied'
  story.fleet.clusters.get('edge')!.world.fail({ workload: 'seed', outcome: 'Fail', output })
  expect(await story.until(() => told(story).length > 0, 60), unitBlockers(story).join('\n')).toBe(true)
  await story.pass(60)
  expect(told(story)).toEqual([
    'Warning hook Job default/seed (PreSync, attempt 1 of 1): its output is not shown: its Pod reads Secret default/db',
  ])
})

it('a Pod that succeeds, even if its policy deletes it at once; without the annotation nothing', async () => {
  const policy = { 'helm.sh/hook-delete-policy': 'hook-succeeded' }
  const story = await begun(
    'output succeeded',
    together(
      podHook('loud', 'PreSync', { annotations: { ...policy, [LOG]: 'hook-succeeded, hook-failed' } }),
      podHook('quiet', 'PreSync', { annotations: policy }),
      podHook('picky', 'PreSync', { annotations: { [LOG]: 'hook-failed' } }),
    ),
  )
  expect(await story.until(() => story.isReady('m'), 60)).toBe(true)
  expect(told(story)).toEqual([
    'Normal hook Pod default/loud (PreSync, attempt 1 of 1) wrote: simulated container of image job:1',
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})
