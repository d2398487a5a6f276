import { expect, it } from 'vitest'
import type { Cause } from '../../../decisions/answer/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { drawWhy } from './drawwhy.ts'

const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 1000 },
  { out() {}, err() {} },
)

it('a root cause whose message ends with its advice has the advice once, as what to do', () => {
  const cause: Cause = {
    label: 'shop',
    reason: 'Deadlock',
    text: 'shop waits for certs (DependencyDeleting); remove certs from spec.dependsOn of shop',
    advice: 'remove certs from spec.dependsOn of shop',
    module: 'shop',
    cluster: 'c1',
    isRoot: true,
    children: [],
  }
  const tree = { namespace: 'platform', module: 'shop', cluster: 'c1', has: '', wants: '1', warnings: [] }
  const lines = drawWhy(
    t,
    { ...tree, state: 'waits', causes: [cause], clustersBehind: 0, modulesBehind: [] },
    0,
  )
  expect(lines.slice(-2)).toEqual([
    'Root cause: shop on c1: Deadlock: shop waits for certs (DependencyDeleting)',
    'What to do: remove certs from spec.dependsOn of shop (reasons.md#deadlock)',
  ])
})
