import type { Command } from '../command.ts'
import { openHub, requireInstalled } from '../hub/hub.ts'
import { untilAborted } from '../interrupt.ts'
import { sourceCache } from '../local/cache.ts'

/** `lockstep controller`. */
export const controller: Command = {
  name: 'controller',
  summary: 'Run the controllers against a hub until interrupted',
  detail: 'Logs JSON lines on standard error. Run one at a time for a hub.',
  log: 'info',
  formats: ['table'],
  examples: [
    ['With the current context', 'controller'],
    ['Against a hub by name, with all details', 'controller --context hub -v'],
  ],
  async run(c) {
    const hub = await openHub(c, 'lockstep-controller')
    if (!hub.ok) return hub
    const installed = await requireInstalled(c, hub.value)
    if (!installed.ok) return installed
    const { startManager } = await import('../../controllers/manager.ts')
    const manager = startManager(c.env, hub.value.client, { cacheDir: sourceCache(c.host) })
    c.env.log.info('controller started', { hub: hub.value.server })
    void manager.started.then(() => c.env.log.info('caches complete'))
    await untilAborted(c.signal)
    c.env.log.info('controller stops')
    manager.stop()
    await hub.value.client.close()
    return { ok: true, value: 130 }
  },
}
