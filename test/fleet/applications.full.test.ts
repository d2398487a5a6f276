/** Applications of a cluster group that are Modules beside that of the group. */
import { describe, expect, it } from 'vitest'
import type { Net, NetRequest } from '../../packages/kube/src/env/net.ts'
import { ok } from '../../packages/kube/src/env/result.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { groupOf } from '../../packages/lockstep/src/controllers/publish/applications.ts'
import { clientOf, must, NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const
const values = (applications: string, revision = 'main') => `global:
  pattern: edge
  repoURL: https://git.test/pattern
  targetRevision: ${revision}
clusterGroup:
  name: hub
  namespaces: [{vault: {operatorGroup: false}}]
  applications: ${applications}
`
const TWO = `
    vault: {name: vault, namespace: vault, path: charts/vault, annotations: {argocd.argoproj.io/sync-wave: "5"}}
    ui: {name: ui, namespace: vault, path: charts/ui, annotations: {argocd.argoproj.io/sync-wave: "10"}}`

const OF_GROUP = {
  render: { namespace: 'default', clusterGroup: { valuesFiles: ['all.yaml'], applications: 'Modules' } },
}

async function begun(name: string, text = values(TWO), spec: object = {}): Promise<Story> {
  const story = await Story.begin(`applications ${name}`, ['edge'])
  await story.config('group', text)
  await story.module('group', 'group', { ...OF_GROUP, ...spec })
  return story
}

/** A proxy that refuses new Modules for a minute of the controller. */
function restartBehindProxy(story: Story): void {
  story.manager.stop()
  const { env } = story.fleet
  const until = env.clock.steady() + 60_000
  const refuses = ({ method, path }: NetRequest): boolean =>
    method !== 'GET' && /\/modules(\/group-\w+)?(\?|$)/.test(path) && env.clock.steady() < until
  const net: Net = {
    ...env.net,
    connect(target, by) {
      const inner = env.net.connect(target, by)
      const request = async (r: NetRequest) => {
        const answer = await inner.request(refuses(r) ? { ...r, method: 'GET', path: '/version' } : r)
        return answer.ok && refuses(r) ? ok({ ...answer.value, status: 413 }) : answer
      }
      return { request, close: () => inner.close() }
    },
  }
  story.manager = startManager({ ...env, net }, clientOf({ ...env, net }, 'hub', 'lockstep-controller'))
}

const all = (story: Story): Stored<Module>[] => [...story.manager.hub.modules.store.all()]
const modules = (story: Story): Stored<Module>[] =>
  all(story).filter((m) => groupOf(m.metadata) !== undefined)
const names = (story: Story): string[] =>
  modules(story)
    .map((m) => m.metadata.name)
    .sort()
const called = (story: Story, name: string) => modules(story).find((m) => m.metadata.name === name)
const generations = (story: Story) =>
  modules(story)
    .map((m) => `${m.metadata.name} ${m.metadata.generation}`)
    .sort()
const BOTH = ['group-ui', 'group-vault']

describe('applications: Modules', () => {
  it('are there once the group is published, each with its chart, after the wave before', async () => {
    const story = await begun('made')
    expect(await story.until(() => names(story).length === 2)).toBe(true)
    expect(names(story)).toEqual(BOTH)
    expect(called(story, 'group-ui')!.spec).toMatchObject({
      source: { git: { url: 'https://git.test/pattern', ref: { branch: 'main' }, path: 'charts/ui' } },
      render: { namespace: 'vault', helm: { releaseName: 'ui' } },
      dependsOn: [{ module: { name: 'group' }, beforeWave: 10 }, { module: { name: 'group-vault' } }],
    })
    expect(called(story, 'group-vault')!.spec.dependsOn).toMatchObject([{ id: 'group', beforeWave: 5 }])
    // Argo CD is not there, and nothing of it is asked for.
    expect(story.see('group').status?.currentRevision).toBeDefined()
    await story.pass(60)
    const before = story.fleet.commits.length
    await story.pass(600)
    const writes = story.fleet.commits.slice(before).filter((c) => /^modules/.test(c.resource))
    expect(writes.map((c) => `${c.verb} ${c.key}`)).toEqual([])
  })

  it('that a proxy refuses are tried again', async () => {
    const story = await Story.begin('applications refused', ['edge'])
    restartBehindProxy(story)
    await story.config('group', values(TWO))
    await story.module('group', 'group', OF_GROUP)
    await story.pass(50)
    expect(names(story)).toEqual([])
    expect(story.blockers('group').join()).toContain('HubUnreachable: Module group-')
    expect(await story.until(() => names(story).length === 2, 120)).toBe(true)
  })

  it('that somebody edits or deletes are put right', async () => {
    const story = await begun('kept')
    expect(await story.until(() => names(story).length === 2)).toBe(true)
    const key = { namespace: NAMESPACE, name: 'group-ui' }
    const edit = { spec: { source: { git: { path: 'elsewhere' } } } }
    must(await story.during(story.fleet.hub.patch(moduleKind, key, edit, USER)))
    expect(
      await story.until(() => called(story, 'group-ui')!.spec.source.git?.path === 'charts/ui', 30),
    ).toBe(true)
    const { uid } = called(story, 'group-ui')!.metadata
    must(await story.during(story.fleet.hub.delete(moduleKind, key, USER)))
    expect(
      await story.until(() => ![undefined, uid].includes(called(story, 'group-ui')?.metadata.uid), 60),
    ).toBe(true)
  })

  it('of another revision are one change of each', async () => {
    const story = await begun('moved')
    expect(await story.until(() => names(story).length === 2)).toBe(true)
    expect(generations(story)).toEqual(['group-ui 1', 'group-vault 1'])
    await story.config('group', values(TWO, 'v1.0.0'))
    const isMoved = () =>
      modules(story).every((m) => JSON.stringify(m.spec.source.git?.ref) === '{"tag":"v1.0.0"}')
    expect(await story.until(isMoved, 60)).toBe(true)
    await story.pass(30)
    expect(generations(story)).toEqual(['group-ui 2', 'group-vault 2'])
  })

  it('leave with what the group has no more, and before the group itself', async () => {
    const story = await begun('left')
    expect(await story.until(() => names(story).length === 2)).toBe(true)
    await story.config('group', values('{vault: {name: vault, namespace: vault, path: charts/vault}}'))
    expect(await story.until(() => names(story).join() === 'group-vault', 60)).toBe(true)
    await story.deleteModule('group')
    expect(await story.until(() => all(story).length === 0, 120)).toBe(true)
    const gone = story.fleet.commits.filter((c) => c.verb === 'delete' && /^modules/.test(c.resource))
    // One that is marked is still there.
    const last = new Map(gone.map((c, i) => [c.key.split('/').pop()!, i]))
    const order = [...last].sort(([, a], [, b]) => a - b).map(([name]) => name)
    expect(order).toEqual(['group-ui', 'group-vault', 'group'])
  })

  it('whose name is taken are named, and the other ones go on', async () => {
    const story = await begun('taken', values(TWO), { source: { none: {} }, render: undefined })
    await story.config('own', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n')
    await story.module('group-ui', 'own')
    const spec = {
      source: { none: null, configMaps: [{ name: 'group' }] },
      render: { namespace: 'default', clusterGroup: { valuesFiles: ['all.yaml'], applications: 'Modules' } },
    }
    const key = { namespace: NAMESPACE, name: 'group' }
    must(await story.during(story.fleet.hub.patch(moduleKind, key, { spec }, USER)))
    expect(await story.until(() => names(story).join() === 'group-vault', 60)).toBe(true)
    const texts = () =>
      story
        .see('group')
        .status?.conditions?.map((c) => c.message)
        .join('\n')
    expect(
      await story.until(
        () =>
          /Module platform\/group-ui exists and is not an application of Module group; delete it, or rename the application/.test(
            texts()!,
          ),
        60,
      ),
    ).toBe(true)
  })
})
