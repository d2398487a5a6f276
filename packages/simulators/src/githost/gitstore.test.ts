/** A repository in memory is one of git: the same content has the same ids, and the same history. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../kube/src/env/node/nodelog.ts'
import { BareStore } from './barestore.ts'
import type { GitCommit, HostTreeEntry } from './gitobjectid.ts'
import { changed, type GitStore, history, mergeBase } from './gitstore.ts'
import { MemoryStore } from './memorystore.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const by = (parents: readonly string[], message = 'change\n'): Omit<GitCommit, 'tree'> => ({
  parents,
  author: 'Ada <ada@example.com> 1767225600 +0000',
  committer: 'Ada <ada@example.com> 1767225601 +0000',
  message,
})

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'githost-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A first commit, two that follow it, and one that brings both together. */
async function story(store: GitStore) {
  const first = new Map<string, HostTreeEntry>([
    ['run.sh', { mode: '100755', id: await store.put(bytes('#!/bin/sh\n')) }],
    ['a/b.yaml', { mode: '100644', id: await store.put(bytes('x: 1\n')) }],
    ['a.b', { mode: '100644', id: await store.put(bytes('sorts before a/\n')) }],
    ['a0', { mode: '100644', id: await store.put(bytes('sorts after a/\n')) }],
    ['link', { mode: '120000', id: await store.put(bytes('run.sh')) }],
    ['é', { mode: '100644', id: await store.put(bytes('')) }],
  ])
  const one = await store.make(first, by([]))
  const left = await store.make(
    await changed(store, first, new Map([['a/b.yaml', bytes('x: 2\n')]])),
    by([one]),
  )
  const right = await store.make(
    await changed(store, first, new Map([['run.sh', undefined]])),
    by([one], 'two\n\nT: x\n'),
  )
  const both = await store.make(await store.files(left), by([left, right]))
  expect(await store.move('main', undefined, one)).toBe(true)
  return { one, left, right, both }
}

describe('a repository in memory, and one of git', () => {
  it('have the same commits', async () => {
    const env = createNodeEnv(nodeLog('silent'))
    const bare = await BareStore.create(env, join(root, 'same.git'))
    const memory = new MemoryStore()
    const [real, ours] = [await story(bare), await story(memory)]
    expect(ours).toEqual(real)
    for (const store of [bare, memory]) {
      expect(Object.fromEntries(await store.branches())).toEqual({ main: ours.one })
      expect((await store.commit(ours.right))?.message).toBe('two\n\nT: x\n')
      expect(await store.commit('0'.repeat(40))).toBeUndefined()
      expect((await store.files(ours.right)).has('run.sh')).toBe(false)
      expect((await store.files(ours.left)).get('run.sh')?.mode).toBe('100755')
      expect(await mergeBase(store, ours.left, ours.right)).toBe(ours.one)
      const after = await history(store, ours.both, ours.one)
      expect(after.map((c) => c.id)).toEqual([ours.both, ours.left, ours.right])
    }
    expect([...(await memory.files(ours.left))].sort()).toEqual([...(await bare.files(ours.left))].sort())
  })

  it('move a branch only from where it is', async () => {
    const env = createNodeEnv(nodeLog('silent'))
    for (const store of [new MemoryStore(), await BareStore.create(env, join(root, 'moved.git'))]) {
      const { one, left, right } = await story(store)
      expect(await store.move('main', undefined, left)).toBe(false)
      expect(await store.move('main', right, left)).toBe(false)
      expect(await store.move('main', one, left)).toBe(true)
      expect(await store.move('main', one, undefined)).toBe(false)
      expect(await store.move('main', left, undefined)).toBe(true)
      expect((await store.branches()).size).toBe(0)
    }
  })
})
