/** `rollout approve`: whose consent it is, to which revision, and what of two stages with nearly one name. */
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
const run = (line: string, input = '') =>
  sit(line.split(' '), { input, variables: { KUBECONFIG: fleet.kubeconfig }, cwd: fleet.folder })
const json = async (line: string) => JSON.parse((await run(`${line} -o json`)).out)

const gated = (release: string, rollout: string): string => `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: gated}
spec:
  release: "${release}"
  source: {inline: {objects: [
    {apiVersion: v1, kind: ConfigMap, metadata: {name: g, namespace: default}, data: {a: "${release}"}}]}}
  targets: {clusterSelector: {}}
  rollout:
    strategy: Staged
${rollout}`

const WAIT = `    supersede: Wait
    stages:
      - {name: canary, clusters: [cluster-1], approval: Required}
      - {name: rest, clusterSelector: {}}
`

/** By an Approval of another revision, too, which counts for nothing here. */
const ASKED = new Set(['AwaitingApproval', 'ApprovalForOtherRevision'])
const rollout = async () => (await json('get module gated')).status?.rollout ?? {}
const awaits = (revision: unknown) =>
  eventually(async () => {
    const { status } = await json('get module gated')
    return (
      status?.rollout?.revision === revision &&
      (status.blockers ?? []).some((b: { reason: string }) => ASKED.has(b.reason))
    )
  }, 'a person is asked')

async function publish(release: string, how: string): Promise<string> {
  expect(await run('apply -f -', gated(release, how))).toMatchObject({ code: 0, err: '' })
  const found = async () => (await json('get module gated')).status
  await eventually(async () => (await found())?.release === release, `${release} is published`)
  return (await found()).currentRevision
}
const consents = async (): Promise<string[][]> =>
  (await json('get approvals')).items.map((a: { spec: { stage: string; revisionHash: string } }) => [
    a.spec.stage,
    a.spec.revisionHash,
  ])

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2 })
})
afterAll(async () => {
  await fleet.end()
})

// Each command is a process of its own.
describe('rollout approve', { timeout: 120_000 }, () => {
  it('consents to the rollout that asks, while a newer revision waits for its end', async () => {
    const first = await publish('1', WAIT)
    await awaits(first)
    const second = await publish('2', WAIT)
    await eventually(async () => (await rollout()).cause === 'Wait', 'the newer one waits')
    expect((await run('rollout approve gated --stage canary')).out).toContain('approved')
    expect(await consents()).toEqual([['canary', first]])
    await awaits(second)
    // Asked twice it is there already, and that is not an error.
    await run('rollout approve gated --stage canary')
    expect(await run('rollout approve gated --stage canary')).toMatchObject({
      code: 0,
      out: expect.stringContaining('was already approved'),
    })
    await eventually(async () => (await rollout()).phase === 'Complete', 'all of it is there')
    expect((await consents()).map(([, revision]) => revision).sort()).toEqual([first, second].sort())
  })

  it('of stages whose names differ in a sign only: each has its own', async () => {
    const how = `    stages:
      - {name: by, groupBy: place, approval: Required}
`
    for (const [cluster, place] of [
      ['cluster-1', 'eu.1'],
      ['cluster-2', 'eu_1'],
    ])
      await kubeFetch(fleet.kubeconfig, 'hub', `/api/v1/namespaces/${fleet.namespace}/secrets/${cluster}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { labels: { place } } }),
      })
    const third = await publish('3', how)
    await awaits(third)
    for (const stage of ['by/eu.1', 'by/eu_1']) {
      await eventually(
        async () =>
          JSON.stringify((await json('get module gated')).status.blockers).includes(`--stage ${stage}`),
        `${stage} asks`,
      )
      expect((await run(`rollout approve gated --stage ${stage}`)).out).toMatch(/revision \w+ approved/)
    }
    await eventually(async () => (await rollout()).phase === 'Complete', 'both have consented')
  })

  it('what is there under that name and consents to something else is told, not taken for it', async () => {
    const { currentRevision } = (await json('get module gated')).status
    const name = `gated-prune-after-${currentRevision.replace(/^v1:/, '').slice(0, 10)}`
    const other = `apiVersion: lockstep.dev/v1alpha1
kind: Approval
metadata: {name: ${name}}
spec: {targetRef: {kind: Module, name: else}, stage: prune, revisionHash: "0123456789", approvedBy: system:admin}
`
    const put = await run('apply -f -', other)
    expect(put.err).toBe('')
    const ran = await run('rollout approve gated --stage prune')
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(stripVTControlCharacters(ran.err).replace(/\s+/g, ' ')).toContain(
      `approval.lockstep.dev/${name}: already exists, and approves stage prune (After) of Module else, revision 0123456789`,
    )
  })
})
