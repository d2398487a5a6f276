/** Slow source servers of some namespaces delay no others. In virtual time, over the network of the controllers. */
import { expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Net, NetRequest } from '../../packages/kube/src/env/net.ts'
import type { Provenance } from '../../packages/kube/src/env/provenance.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { must, simFleet } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

/** Seconds until the index of charts is complete; until then its server sends one byte a second. */
const SECONDS: Readonly<Record<string, number>> = { slow: 3600, honest: 100 }

it('three namespaces with nine dripping servers: a fourth starts within 35 s, and its 100 s download completes', async () => {
  const fleet = await simFleet('fair sources', [], { unjudged: true })
  const { env } = fleet
  const asked: string[] = []
  const net: Net = {
    ...env.net,
    connect(endpoint: { readonly url: string }, by: Provenance) {
      const [, speed] = /^https:\/\/[\w-]+\.(slow|honest)\.test/.exec(endpoint.url) ?? []
      if (speed === undefined) return env.net.connect(endpoint, by)
      return {
        close: () => {},
        async request({ signal }: NetRequest) {
          asked.push(endpoint.url)
          async function* pieces() {
            for (let i = 0; i < SECONDS[speed!]!; i++) {
              await new Promise<void>((resolve) => {
                const end = (): void => {
                  cancel()
                  signal?.removeEventListener('abort', end)
                  resolve()
                }
                const cancel = env.clock.at(env.clock.steady() + 1000, end)
                signal?.addEventListener('abort', end)
              })
              if (signal?.aborted) throw new Error('aborted')
              yield new TextEncoder().encode(' ')
            }
            yield new TextEncoder().encode('apiVersion: v1\nentries: {}\n')
          }
          return ok({ status: 200, headers: {}, pieces })
        },
      } as never
    },
  }
  const manager = startManager(
    { ...env, net },
    createHttpClient(env, 'hub', env.net.connect({ url: 'https://hub.test' }, 'operator')),
  )
  const story = new Story(fleet)
  story.manager.stop()
  story.manager = manager
  const put = async (namespace: string, name: string, host: string): Promise<void> => {
    const helm = { repository: `https://${host}.test/charts`, chart: 'web', version: '1.0.0' }
    const render = { namespace: 'default', helm: { releaseName: 'web' } }
    const spec = { source: { helm, timeout: '10m' }, render, targets: { clusterSelector: {} } }
    const metadata = { name, namespace }
    const module = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', metadata, spec }
    must(await story.during(fleet.hub.apply(moduleKind, module as never, USER)))
  }
  for (const namespace of ['team-a', 'team-b', 'team-c', 'team-d']) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    must(await story.during(fleet.hub.create(namespaceKind, body as never, USER)))
  }
  for (const team of ['team-a', 'team-b', 'team-c'])
    for (let i = 0; i < 9; i++) await put(team, `m${i}`, `${team}-${i}.slow`)
  await story.pass(5)
  await put('team-d', 'web', 'team-d.honest')
  await story.pass(2)
  const message = () =>
    story.manager.hub.modules.store.get({ namespace: 'team-d', name: 'web' })?.status?.blockers?.[0]?.message
  expect(message()).toMatch(/^waits for its turn: 8 fetches run, [3-6] of them for namespace team-[abc]$/)
  const begins = (): boolean => asked.some((url) => url.includes('team-d'))
  expect(await story.until(begins, 35)).toBe(true)
  // The index has no charts: it was read to its end.
  const answered = (): boolean => message()?.endsWith('no versions of chart web') === true
  expect(await story.until(answered, 400), message()).toBe(true)
}, 120_000)
