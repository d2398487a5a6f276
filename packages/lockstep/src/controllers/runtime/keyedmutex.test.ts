import { describe, expect, it } from 'vitest'
import { unsupervised } from '../../../../kube/src/env/supervise.ts'
import { KeyedMutex, MAX_ASSIGNMENT_WRITES } from './keyedmutex.ts'

/** Work that ends when it is told to. */
function bench(most: number) {
  const turns = new KeyedMutex({ supervisor: unsupervised }, most)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (key: string, name: string): Promise<string> =>
    turns.run(key, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { turns, begun, add, end }
}

describe('work in turns', () => {
  it('of one key is done one after the other, as it was asked for', async () => {
    const { begun, add, end } = bench(10)
    const all = ['a1', 'a2', 'a3'].map((n) => add('a', n))
    for (const n of ['a1', 'a2', 'a3']) {
      expect(begun.at(-1)).toBe(n)
      await end(n)
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3'])
  })

  it('of all keys no more than so many at once', async () => {
    const { begun, add, end } = bench(MAX_ASSIGNMENT_WRITES)
    for (let i = 0; i < 100; i++) void add(`k${i}`, `k${i}`)
    expect(begun).toHaveLength(32)
    for (let i = 0; i < 10; i++) await end(`k${i}`)
    expect(begun).toHaveLength(42)
  })

  it('a key that asks for much has one turn, then all others have theirs', async () => {
    const { begun, add, end } = bench(1)
    for (let i = 1; i <= 3; i++) void add('a', `a${i}`)
    for (const key of ['b', 'c']) void add(key, `${key}1`)
    for (let i = 0; i < 5; i++) await end(begun.at(-1)!)
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('what fails is told to whoever asked for it, and holds nobody up', async () => {
    const turns = new KeyedMutex({ supervisor: unsupervised }, 1)
    const failed = turns.run('a', () => Promise.reject(new Error('no')))
    const next = turns.run('a', async () => 'yes')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('yes')
  })
})
