/** The lease of a process whose main thread is busy, in the threads that it has when it is installed. */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import type { Listening } from '../../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { facesOf } from '../../packages/lockstep/bin/faces.js'
import { quiet } from '../kube/subjects.ts'

const env = createNodeEnv(quiet)
const api = createApiServer(env, { name: 'hub' })
let folder: string
let listening: Listening

beforeAll(async () => {
  const opened = await env.net.listen({ host: '127.0.0.1', port: 0 }, api.handle)
  if (!opened.ok) throw new Error(opened.error.detail)
  listening = opened.value
  // Below node_modules, so that the packages that are not bundled are found.
  folder = mkdtempSync(join(process.cwd(), 'node_modules', '.stall-'))
  await build({
    entryPoints: {
      main: 'test/e2e/leaderstall.ts',
      leader: 'packages/lockstep/src/cli/kit/leader/thread.ts',
    },
    outdir: folder,
    outExtension: { '.js': '.js' },
    alias: facesOf(process.cwd()),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
})
afterAll(async () => {
  await listening.close()
  rmSync(folder, { recursive: true, force: true })
})

it('is kept while it is busy for a second, and lost while it stands still until it was renewed again', async () => {
  const heard: Record<string, string> = {}
  const child = fork(join(folder, 'main.js'))
  child.on('message', (m) => {
    const { name, result } = m as { name: string; result: string }
    heard[name] = result
  })
  child.send({ url: listening.url })
  expect(await new Promise((done) => child.on('exit', done))).toBe(0)
  expect(heard).toEqual({
    'at-once': 'written',
    'after-a-second': 'written',
    'after-a-stall': 'FenceLost',
    renewed: 'written',
    stopped: 'FenceLost',
  })
  const there = api.local.list('configmaps', 'default').map((o) => o.metadata.name)
  expect(there.filter((n) => n?.startsWith('after') || n === 'stopped')).toEqual(['after-a-second'])
  const [lease] = api.local.list('leases.coordination.k8s.io', 'default')
  expect(lease).toMatchObject({ spec: { holderIdentity: '', leaseTransitions: 0 } })
})
