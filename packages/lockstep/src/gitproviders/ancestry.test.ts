import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../kube/src/env/result.ts'
import { Ancestry } from './ancestry.ts'

/** A history in a line, `a` first; `x…` are beside it. What is asked is written down. */
function line(order: string) {
  const asked: string[] = []
  const ancestry = new Ancestry()
  let isUp = true
  return {
    asked,
    fails: (down: boolean) => {
      isUp = !down
    },
    has: (head: string, commit: string, branch = 'main') =>
      ancestry.has(branch, { head, commit }, async (c, h) => {
        asked.push(`${c}..${h}`)
        if (!isUp) return err('down')
        return ok(order.includes(c) && order.includes(h) && order.indexOf(c) <= order.indexOf(h))
      }),
  }
}

describe('whether a branch still has a commit', () => {
  it('is known of its head, and of what has followed it', async () => {
    const main = line('abcd')
    expect(await main.has('a', 'a')).toEqual(ok(true))
    expect(main.asked).toEqual([])
    expect(await main.has('b', 'a')).toEqual(ok(true))
    expect(await main.has('b', 'a')).toEqual(ok(true))
    expect(main.asked).toEqual(['a..b'])
  })
  it('is asked once a move, however many have made something on it', async () => {
    const main = line('abcd')
    await main.has('c', 'a')
    await main.has('c', 'b')
    expect(main.asked.splice(0)).toEqual(['a..c', 'b..c'])
    for (const commit of ['a', 'b', 'c', 'd']) expect(await main.has('d', commit)).toEqual(ok(true))
    expect(main.asked).toEqual(['c..d'])
  })
  it('is asked anew of each where the branch was rewritten', async () => {
    // `b` was its head, and is gone from it.
    const main = line('axy')
    await main.has('b', 'b')
    expect(await main.has('x', 'b')).toEqual(ok(false))
    expect(await main.has('x', 'a')).toEqual(ok(true))
    expect(await main.has('y', 'b')).toEqual(ok(false))
    expect(await main.has('y', 'a')).toEqual(ok(true))
    expect(main.asked).toEqual(['b..x', 'b..x', 'a..x', 'x..y', 'b..y'])
  })
  it('of another branch is another question', async () => {
    const main = line('ab')
    await main.has('b', 'a')
    expect(await main.has('a', 'b', 'stable')).toEqual(ok(false))
  })
  it('that cannot be asked is not known afterwards either', async () => {
    const main = line('abc')
    await main.has('b', 'a')
    main.fails(true)
    expect(await main.has('c', 'a')).toEqual(err('down'))
    main.fails(false)
    expect(await main.has('c', 'a')).toEqual(ok(true))
    expect(main.asked).toEqual(['a..b', 'b..c', 'b..c'])
  })
  it('of the new head says nothing of the others', async () => {
    const main = line('ac')
    await main.has('a', 'a')
    // `b` was in between, and is gone.
    await main.has('b', 'b')
    expect(await main.has('c', 'c')).toEqual(ok(true))
    expect(await main.has('c', 'a')).toEqual(ok(true))
    expect(await main.has('c', 'b')).toEqual(ok(false))
  })
})
