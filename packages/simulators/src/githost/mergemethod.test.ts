import { describe, expect, it } from 'vitest'
import { changed, history } from './gitstore.ts'
import { MemoryStore } from './memorystore.ts'
import { type MergeMethod, merged, mergedLines } from './mergemethod.ts'

const split = (text: string): string[] => text.split('')

describe('lines that two have changed', () => {
  it.each([
    ['abcde', 'aBcde', 'abcdE', 'aBcdE'],
    ['abcde', 'abcde', 'abXcde', 'abXcde'],
    ['abcde', 'aBcde', 'aBcde', 'aBcde'],
    ['abcde', 'bcde', 'abcdef', 'bcdef'],
    ['abcde', 'aBcde', 'aXcde', undefined],
    ['abcde', 'aBcde', 'abCde', undefined],
    ['abcde', 'acde', 'aBcde', undefined],
  ])('%s: %s and %s is %s', (before, ours, theirs, both) => {
    expect(mergedLines(split(before), split(ours), split(theirs))?.join('')).toBe(both)
    expect(mergedLines(split(before), split(theirs), split(ours))?.join('')).toBe(both)
  })
})

describe('a head into its base', () => {
  const person = 'Host <host@example.com> 1767225600 +0000'
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

  async function two(base: Record<string, string>, head: Record<string, string>) {
    const store = new MemoryStore()
    const commit = async (parent: string | undefined, files: Record<string, string>, message: string) => {
      const before = parent === undefined ? new Map() : await store.files(parent)
      const changes = new Map(Object.entries(files).map(([p, t]) => [p, bytes(t)]))
      const all = await changed(store, before, changes)
      return store.make(all, {
        parents: parent === undefined ? [] : [parent],
        author: person,
        committer: person,
        message,
      })
    }
    const first = await commit(undefined, { a: '1\n2\n3\n', b: 'x\n' }, 'first\n')
    return {
      store,
      base: await commit(first, base, 'base\n'),
      head: await commit(first, head, 'head\n\nT: key\n'),
    }
  }

  it.each<[MergeMethod, number, string]>([
    ['merge', 2, 'Merged\n'],
    ['squash', 1, 'Merged\n'],
    ['rebase', 1, 'head\n\nT: key\n'],
  ])('%s', async (method, parents, message) => {
    const { store, base, head } = await two({ a: '0\n2\n3\n' }, { a: '1\n2\n4\n', c: 'new\n' })
    const to = await merged(store, { base, head, method, message: 'Merged\n', person })
    const commit = await store.commit(to)
    expect(commit?.parents).toHaveLength(parents)
    expect(commit?.message).toBe(message)
    const files = await store.files(to)
    expect(new TextDecoder().decode(await store.blob(files.get('a')!.id))).toBe('0\n2\n4\n')
    expect([...files.keys()].sort()).toEqual(['a', 'b', 'c'])
    const news = (await history(store, to, base)).map((c) => c.id)
    expect(news).toEqual(method === 'merge' ? [to, head] : [to])
  })

  it('a conflict changes nothing; what is there already is nothing', async () => {
    const { store, base, head } = await two({ a: '0\n2\n3\n' }, { a: '9\n2\n3\n' })
    const to = { message: 'Merged\n', person }
    for (const method of ['merge', 'squash', 'rebase'] as const)
      expect(await merged(store, { base, head, method, ...to })).toBe('conflict')
    expect(await merged(store, { base: head, head, method: 'merge', ...to })).toBe('nothing')
  })
})
