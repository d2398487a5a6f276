/** What is read out of answers that the Git host for tests does not give: forks, checks, what has not been looked at. */
import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { JsonObject } from '../../../../kube/src/object/index.ts'
import type { Pull } from '../gitprovider.ts'
import { connectGitProvider } from '../registry.ts'
import type { GitProviderKind } from './address.ts'

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name: 'host' },
  data: { token: btoa('t') },
}

function hostThatSays(provider: GitProviderKind, json: unknown, status = 200) {
  const env = createSimEnv('reading')
  const body = JSON.stringify(json)
  env.net.name('localhost', ['192.0.2.1'])
  env.net.serve('http://localhost:3000', async () => ({ status, headers: {}, body }))
  const settings = { provider, url: 'http://localhost:3000/o/r', baseBranch: 'main' }
  const host = connectGitProvider(env, settings, SECRET)
  if (!host.ok) throw new Error(host.error)
  return host.value
}

const O = { timeoutMs: 1000 }
const BASE: Readonly<Record<GitProviderKind, JsonObject>> = {
  github: {
    number: 1,
    state: 'open',
    head: { ref: 'h', repo: { id: 1 } },
    base: { ref: 'main', repo: { id: 1 } },
  },
  gitlab: {
    iid: 1,
    state: 'opened',
    source_branch: 'h',
    target_branch: 'main',
    project_id: 1,
    source_project_id: 1,
  },
  gitea: {
    number: 1,
    state: 'open',
    head: { ref: 'h', repo_id: 1 },
    base: { ref: 'main', sha: 'b2', repo_id: 1 },
  },
}

describe('whether it can be merged', () => {
  it.each<[GitProviderKind, JsonObject, Pull['mergeable']]>([
    ['github', { mergeable: null, mergeable_state: 'unknown' }, 'Unknown'],
    ['github', { mergeable: true, mergeable_state: 'clean' }, 'Yes'],
    ['github', { mergeable: true, mergeable_state: 'unstable' }, 'Yes'],
    ['github', { mergeable: true, mergeable_state: 'blocked' }, 'Unknown'],
    ['github', { mergeable: true, mergeable_state: 'behind' }, 'Conflict'],
    ['github', { mergeable: false, mergeable_state: 'dirty' }, 'Conflict'],
    ['gitlab', { detailed_merge_status: 'mergeable' }, 'Yes'],
    ['gitlab', { detailed_merge_status: 'checking' }, 'Unknown'],
    ['gitlab', { detailed_merge_status: 'ci_still_running' }, 'Unknown'],
    ['gitlab', { detailed_merge_status: 'need_rebase' }, 'Conflict'],
    ['gitlab', { detailed_merge_status: 'conflict' }, 'Conflict'],
    ['gitea', { mergeable: true, merge_base: 'b1' }, 'Yes'],
    ['gitea', { mergeable: false, merge_base: 'b1' }, 'Conflict'],
    ['gitea', { mergeable: false, merge_base: 'b1', draft: true }, 'Unknown'],
    ['gitea', { mergeable: false, merge_base: 'b2' }, 'Unknown'],
  ])('%s %o: %s', async (provider, json, mergeable) => {
    const pull = await hostThatSays(provider, { ...BASE[provider], ...json }).pull(1, O)
    expect(pull).toMatchObject({ ok: true, value: { mergeable } })
  })
})

describe('its state', () => {
  it.each<[GitProviderKind, JsonObject, Pull['state'], string | undefined]>([
    ['github', { state: 'closed', merged_at: null, merge_commit_sha: 'tried' }, 'closed', undefined],
    ['github', { state: 'closed', merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: 'm' }, 'merged', 'm'],
    ['gitlab', { state: 'locked' }, 'open', undefined],
    ['gitlab', { state: 'closed' }, 'closed', undefined],
    ['gitlab', { state: 'merged', merge_commit_sha: 'm', squash_commit_sha: 's', sha: 'h' }, 'merged', 'm'],
    ['gitlab', { state: 'merged', merge_commit_sha: null, squash_commit_sha: 's', sha: 'h' }, 'merged', 's'],
    ['gitlab', { state: 'merged', merge_commit_sha: null, squash_commit_sha: null, sha: 'h' }, 'merged', 'h'],
    ['gitea', { state: 'closed', merged: true, merge_commit_sha: 'm' }, 'merged', 'm'],
    ['gitea', { state: 'closed', merged: false }, 'closed', undefined],
  ])('%s %o: %s', async (provider, json, state, mergeCommit) => {
    const pull = await hostThatSays(provider, { ...BASE[provider], ...json }).pull(1, O)
    expect(pull).toMatchObject({ ok: true, value: { state, mergeCommit } })
  })
})

describe('what is not ours, or no answer', () => {
  it.each<[GitProviderKind, JsonObject]>([
    ['github', { head: { ref: 'h', sha: 'c', repo: { id: 2 } } }],
    ['github', { head: { ref: 'h', sha: 'c', repo: null } }],
    ['gitlab', { source_project_id: 2 }],
    ['gitea', { head: { ref: 'h', label: 'h', repo_id: 2 } }],
  ])('%s: a branch of the same name in a fork', async (provider, json) => {
    const host = hostThatSays(provider, [{ ...BASE[provider], ...json }])
    expect(await host.pullsOf('h', O)).toEqual({ ok: true, value: [] })
    expect(await hostThatSays(provider, [BASE[provider]]).pullsOf('h', O)).toMatchObject({
      value: [{ number: 1 }],
    })
  })

  it.each<GitProviderKind>(['github', 'gitlab', 'gitea'])(
    '%s: another branch, another base',
    async (provider) => {
      expect(await hostThatSays(provider, [BASE[provider]]).pullsOf('other', O)).toEqual({
        ok: true,
        value: [],
      })
      const other =
        provider === 'gitlab' ? { target_branch: 'x' } : { base: { ref: 'x', repo_id: 1, repo: { id: 1 } } }
      const elsewhere = hostThatSays(provider, [{ ...BASE[provider], ...other }])
      expect(await elsewhere.pullsOf('h', O)).toEqual({ ok: true, value: [] })
      // Of one look for all.
      expect(await elsewhere.openPulls(O)).toMatchObject({ value: [{ number: 1, base: 'x' }] })
    },
  )

  it.each<[GitProviderKind, unknown, number, string]>([
    ['github', {}, 200, 'the answer is not a pull request'],
    ['gitlab', [], 200, 'the answer is not a pull request'],
    ['gitea', { message: 'Moved' }, 301, 'write the URL that the repository has now'],
  ])('%s: %o with %i', async (provider, json, status, message) => {
    const pull = await hostThatSays(provider, json, status).pull(1, O)
    const error = { kind: 'Unexpected', wrote: 'no', message: expect.stringContaining(message) }
    expect(pull).toMatchObject({ ok: false, error })
  })

  it.each<[GitProviderKind, string]>([
    ['github', 'HeadMoved'],
    ['gitlab', 'HeadMoved'],
    // It says so of conflicts, too, and the pull request tells; here it does not answer either.
    ['gitea', 'NotYet'],
  ])('%s: a 409 in words that nobody knows says to look again', async (provider, ofMerge) => {
    const host = hostThatSays(provider, { message: 'busy' }, 409)
    const found = { title: 't', head: 'h', body: 'b' }
    for (const answer of [
      await host.open(found, O),
      await host.edit(1, { title: 'x' }, O),
      await host.pull(1, O),
    ])
      expect(answer).toMatchObject({ ok: false, error: { kind: 'HeadMoved', status: 409 } })
    const merged = await host.merge(1, { expectHead: 'h', method: 'merge' }, O)
    expect(merged).toMatchObject({ ok: false, error: { kind: ofMerge, status: 409 } })
  })

  it('a list that is none', async () => {
    expect(await hostThatSays('github', {}).openPulls(O)).toMatchObject({
      ok: false,
      error: { kind: 'Unexpected' },
    })
  })
})
