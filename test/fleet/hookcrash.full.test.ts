/** A controller that dies while hooks run, at any of its writes: one success, and no attempt is made twice. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { patience } from '../patience.ts'
import { spawn } from '../simulation/process.ts'
import { configHook, createsOf, hooksOf, jobHook, podHook, together } from './hookspecs.ts'
import { configManifest, Story } from './steps.ts'
import { deathsOf, someOf } from './writedeaths.ts'

const POLICY = { annotations: { 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' } }
const KINDS = { Job: jobHook, Pod: podHook, other: configHook } as const

/** `v1` is delivered; a controller that dies at its n-th write takes up `v2`. */
async function interrupted(name: string, hook: typeof podHook, write: number, after: boolean) {
  const story = await Story.begin(name, ['edge'])
  const bundle = (v: string) =>
    together(
      hook('first', 'PreSync', { image: `job:${v}` }),
      configManifest('config', v),
      hook('last', 'PostSync', { ...POLICY, image: `job:${v}` }),
    )
  for (const v of ['v1', 'v2']) await story.config(v, bundle(v))
  await story.module('m', 'v1')
  expect(await story.until(() => story.isReady('m'))).toBe(true)
  await story.pass(60)
  story.manager.stop()
  const start = (what: string, crash?: { write: number; after: boolean }) => {
    const process = spawn(story.fleet.env, what, {
      delayMs: 1,
      lossRate: 0,
      dropRate: 0,
      ...(crash ? { crash } : {}),
    })
    const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
    story.manager = startManager(
      process.env,
      createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
    )
    return process
  }
  const from = story.fleet.commits.length
  const first = start('first', { write, after })
  await story.module('m', 'v2')
  const hasDied = await story.until(() => !first.alive, 30)
  return { story, from, hasDied, start }
}

describe.each(Object.entries(KINDS))('killed while a %s runs as a hook', (kind, hook) => {
  it('at any write: each hook succeeds once, each is made once', { timeout: patience(240_000) }, async () => {
    let deaths = 0
    for (const after of [false, true]) {
      const { first: nth, step } = deathsOf(after)
      for (let write = nth; ; write += step) {
        const what = `${kind} ${write} ${after ? 'after' : 'before'}`
        const { story, from, hasDied, start } = await interrupted(what, hook, write, after)
        if (!hasDied) break
        deaths++
        start('second')
        expect(await story.until(() => story.isReady('m'), 300), what).toBe(true)
        await story.pass(60)
        const made = createsOf(story, from).filter((name) => name !== 'config')
        expect(made, what).toEqual(['first', 'last'])
        expect(
          hooksOf(story, 'm').map((h) => h.split(' ').slice(1).join(' ')),
          what,
        ).toEqual(['last Succeeded 1', 'first Succeeded 1'])
        const names = story.fleet.clusters.get('edge')!.api.local
        const resource = { Job: 'jobs.batch', Pod: 'pods', other: 'configmaps' }[kind]!
        expect(names.get(resource, 'default', 'last'), what).toBeUndefined()
        expect(names.get(resource, 'default', 'first')?.metadata.finalizers ?? [], what).toEqual([])
        expect(story.fleet.oracles.violations, what).toEqual([])
      }
    }
    // Record, delete, create, result, finalizer of two hooks, the object, the policy's delete, both records.
    expect(deaths).toBeGreaterThan(someOf(20))
  })
})
