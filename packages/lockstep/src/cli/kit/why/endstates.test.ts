import { expect, it } from 'vitest'
import { endStates } from '../../../controllers/plan/endstates.cases.ts'
import { NAMESPACE, NOW } from '../../../controllers/plan/fleetanswers.cases.ts'
import { FleetAnswers } from '../../../controllers/plan/fleetanswers.ts'
import { answerOf } from '../../../decisions/answer/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { drawWhy } from './drawwhy.ts'

const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 1000 },
  { out() {}, err() {} },
)

/** Objects of clusters are not read. */
const UNREAD = { objects: () => ({ type: 'Unread', detail: 'not read' }) as const, cause: () => undefined }

it.each(endStates.map((c) => [c.name, c] as const))(
  'why prints the root cause and its advice: %s',
  (_, c) => {
    const [module, cluster] = c.unit
    const unit = { kind: 'Unit', name: module, cluster } as const
    const { causes, roots, state } = answerOf(unit, new FleetAnswers(c.fleet, NOW, UNREAD))
    const lines = drawWhy(
      t,
      {
        namespace: NAMESPACE,
        module,
        cluster,
        state: state === 'Ready' ? 'ready' : state === 'Failed' ? 'failed' : 'waits',
        has: '',
        wants: '',
        causes,
        clustersBehind: 0,
        modulesBehind: [],
        warnings: [],
      },
      NOW,
    )
    const after = (start: string): string[] =>
      lines.filter((l) => l.startsWith(start)).map((l) => l.slice(start.length))
    expect(after('Root cause: ').map((l) => l.split(': ').slice(0, 2).join(': '))).toEqual(c.roots)
    expect(after('What to do: ')).toEqual(
      c.advice.map((a, i) => `${a} (reasons.md#${roots[i]!.reason.toLowerCase()})`),
    )
    expect(state === 'Ready').toBe(c.roots.length === 0)
  },
)

it('a pinned cluster at its own revision is not one of those that wait', () => {
  const { fleet } = endStates.find((c) => c.name === 'a Hold pins the unit, which is ready at its revision')!
  expect(new FleetAnswers(fleet, NOW, UNREAD).unready({ name: 'app' }, ['a', 'b'])).toEqual(['b'])
})
