/**
 * A push between any two of our requests for two references of one repository. With a server that gives everything by id all
 * that is asked for comes; one of protocol v0 may have to be asked again.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { openReader } from '../../../../../test/git/repositoryreader.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { GitMirror } from './gitmirror.ts'
import type { GitRef } from './gitref.ts'
import { readTree } from './readtree.ts'

/** Requests of a run at most, by protocol. */
export const REQUESTS = { v2: 18, v0: 16 } as const

/** The commit that a reference gave, and what was read of it; `moved`: it has to be asked again. */
async function look(repository: GitMirror, ref: GitRef): Promise<[string, string] | 'moved'> {
  const picked = await repository.resolve(ref)
  if (!picked.ok) throw new Error(picked.error.message)
  const there = await repository.ensureCommit(picked.value)
  const tree = there.ok
    ? await readTree(repository, { picked: picked.value, path: 'apps', wants: () => true })
    : there
  if (!tree.ok) {
    expect(tree.error).toMatchObject({
      transient: true,
      message: expect.stringContaining('moved during the fetch'),
    })
    return 'moved'
  }
  return [picked.value.commit, new TextDecoder().decode(tree.value.files[0]?.bytes)]
}

/** `requests`: before which of them there is a push. */
export function pushCases(protocol: keyof typeof REQUESTS, requests: readonly number[]): void {
  const isOld = protocol === 'v0'
  const last = REQUESTS[protocol]
  describe(`a push before one of our requests (${protocol})`, () => {
    const root = mkdtempSync(join(tmpdir(), 'lockstep-gitpush-'))
    const env = loopbackEnv()
    let server: GitServer
    beforeAll(async () => {
      server = await serveGit(root)
    })
    afterAll(async () => {
      await server.close()
      rmSync(root, { recursive: true, force: true })
    })

    it.each(requests)('request %i', async (nth) => {
      const r = new TestGitRepository(root, `r${nth}.git`)
      const push = (n: number) => {
        for (const branch of ['one', 'two'])
          r.commit({ 'apps/a.yaml': `${branch} ${n}`, 'b.yaml': `${n}` }, branch)
      }
      push(0)
      const from = server.requests.length
      server.intercept = (request) => {
        if (isOld) delete request.headers['git-protocol']
        const n = server.requests.length - 1 - from
        if (n === nth) push(1)
        return false
      }
      const credentials = { type: 'none', tls: { ca: server.ca } } as const
      const { repository, close } = await openReader(env, root, `${server.url}/r${nth}.git`, credentials)
      let wasMoved = false
      for (const branch of ['one', 'two']) {
        let seen = await look(repository, { branch })
        if (isOld && seen === 'moved') {
          wasMoved = true
          seen = await look(repository, { branch })
        }
        if (seen === 'moved') throw new Error('moved twice, after one push')
        const [commit, text] = seen
        expect(text).toBe(r.git(['show', `${commit}:apps/a.yaml`]))
      }
      server.intercept = undefined
      await close()
      // Of those that a run makes, none is left out.
      if (!wasMoved) expect(server.requests.length - from).toBeLessThanOrEqual(last)
    })
  })
}
