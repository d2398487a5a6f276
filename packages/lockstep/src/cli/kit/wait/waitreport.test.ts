import { expect, it } from 'vitest'
import type { ListerWatcher } from '../../../../../kube/src/client/client.ts'
import type { RequestError } from '../../../../../kube/src/client/requesterror.ts'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { moduleKind } from '../../../api/kinds/index.ts'
import type { CommandContext, OutputFormat } from '../command.ts'
import type { HubConnection } from '../hub/hub.ts'
import { createTerminal } from '../terminal/terminal.ts'
import type { WaitEnd } from './untilmet.ts'
import type { WaitGoal } from './waitgoal.ts'
import { waitResult } from './waitreport.ts'

const object = { metadata: { name: 'web' } } as Stored
const unreachable: RequestError = {
  cluster: 'hub',
  verb: 'list',
  ref: { group: 'lockstep.dev', kind: 'Module', name: '' },
  wrote: 'no',
  kind: 'Unreachable',
  phase: 'connect',
  detail: 'ECONNREFUSED',
}
const list: ListerWatcher['list'] = async (_, { each }) => {
  each?.({ metadata: { name: 'wep' } } as never)
  return { ok: true, value: { items: [], resourceVersion: '1', size: 0 } }
}
const hub = { client: { list }, server: 'hub', namespace: 'platform' } as unknown as HubConnection

async function outcome(goal: WaitGoal, ended: WaitEnd, output: OutputFormat = 'table') {
  let out = ''
  const look = { color: false, unicode: true, live: false, wraps: false, width: 80 }
  const terminal = createTerminal(look, {
    out: (text) => {
      out += text
    },
    err() {},
  })
  const c = { globals: { output }, terminal } as unknown as CommandContext
  const done = await waitResult(c, hub, { kind: moduleKind, name: 'web', goal, given: '5m', ended })
  return done.ok ? [done.value, out] : [done.error.exit, `${done.error.message} ${done.error.hint}`]
}

const ready: WaitGoal = { type: 'ready' }
const release: WaitGoal = { type: 'release', value: '2026.11' }
const gone: WaitGoal = { type: 'delete' }
const cases: readonly [string, WaitGoal, WaitEnd, number, string][] = [
  [
    'it is there',
    release,
    { how: 'met', object },
    0,
    'module.lockstep.dev/web is ready at release 2026.11\n',
  ],
  ['it is gone', gone, { how: 'gone' }, 0, 'module.lockstep.dev/web is gone\n'],
  ['it never was', gone, { how: 'absent' }, 0, 'module.lockstep.dev/web is gone\n'],
  ['there is nothing to wait for', ready, { how: 'absent' }, 2, 'did you mean wep?'],
  ['it was deleted meanwhile', ready, { how: 'gone' }, 1, 'the object was deleted'],
  ['it will not come', ready, { how: 'failed', text: 'it is not ready: x' }, 1, 'web: it is not ready: x'],
  [
    'the time is over',
    release,
    { how: 'late', lacks: 'RolloutLimit: 2 of 2' },
    4,
    'web is not ready at release 2026.11 after 5m: RolloutLimit: 2 of 2 for the root cause, use lockstep why web',
  ],
  ['the time is over, and it is there', gone, { how: 'late', lacks: 'x' }, 4, 'still exists after 5m: x'],
  ['the hub is away', ready, { how: 'refused', error: unreachable }, 3, 'cannot reach hub'],
  ['Ctrl-C', ready, { how: 'interrupted' }, 130, ''],
]
it.each(cases)('%s', async (_, goal, ended, exit, says) => {
  expect(await outcome(goal, ended)).toEqual([exit, expect.stringContaining(says)])
})

it('for programs it is a report, or the name', async () => {
  const [, text] = await outcome(release, { how: 'met', object }, 'json')
  expect(JSON.parse(String(text))).toEqual({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Report',
    of: 'Wait',
    namespace: 'platform',
    target: 'module.lockstep.dev/web',
    for: 'release=2026.11',
  })
  expect(await outcome(ready, { how: 'met', object }, 'name')).toEqual([0, 'module.lockstep.dev/web\n'])
})
