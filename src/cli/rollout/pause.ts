/** `lockstep rollout pause` and `resume`: one Hold on the whole module. */
import { CLI_MANAGER } from '../../api/labels.ts'
import { holdKind } from '../../api/registry.ts'
import { API_VERSION } from '../../api/version.ts'
import { type Context, type Flags, isSet, textFlag } from '../command.ts'
import { type Outcome, requestFailure } from '../failure.ts'
import { nameOf } from '../kinds.ts'
import { printObjects } from '../output/objects.ts'
import { fit } from '../terminal/wrap.ts'
import { withModule } from './module.ts'

const nameFor = (module: string): string => `${module}-paused`

export const pause = (c: Context, word: string, flags: Flags): Promise<Outcome> =>
  withModule(c, word, async ({ hub, module }) => {
    const isNow = isSet(flags, 'now')
    const { name, namespace } = module.metadata
    const body = {
      apiVersion: API_VERSION,
      kind: holdKind.kind,
      metadata: { name: nameFor(name), namespace: namespace! },
      spec: {
        targetRef: { kind: module.kind, name },
        action: 'Pause',
        scope: isNow ? 'Writes' : 'Starts',
        reason: textFlag(flags, 'reason') ?? 'lockstep rollout pause',
      },
    }
    const done = await hub.client.apply(holdKind, body, {
      ...{ why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any', force: true },
    })
    if (!done.ok) return requestFailure(done.error, hub.server)
    const what = isNow
      ? 'nothing is written any more, on any cluster'
      : 'nothing new starts; what is under way finishes'
    const text = `${nameOf(holdKind, body.metadata.name)}: ${what}. lockstep rollout resume ${name} ends it`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })

export const resume = (c: Context, word: string): Promise<Outcome> =>
  withModule(c, word, async ({ hub, module }) => {
    const { name, namespace } = module.metadata
    const key = { name: nameFor(name), namespace: namespace! }
    const done = await hub.client.delete(holdKind, key, {
      ...{ why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any' },
    })
    if (!done.ok && done.error.kind !== 'NotFound') return requestFailure(done.error, hub.server)
    const held = module.status?.rollout?.phase === 'Paused'
    const said = done.ok
      ? 'goes on'
      : held
        ? `is held by another Hold: lockstep get holds -n ${namespace}`
        : 'was not paused; nothing was changed'
    if (c.globals.output === 'name') c.terminal.data(`${nameOf(holdKind, key.name)}\n`)
    else c.terminal.print(fit(c.terminal.look, `${name} ${said}`))
    return { ok: true, value: done.ok || !held ? 0 : 1 }
  })
