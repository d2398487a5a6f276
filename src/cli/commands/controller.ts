import { isAbsolute, join } from 'node:path'
import type { Result } from '../../env/result.ts'
import { noProviders, type Providers, parseProviders } from '../../fleet/credentials/provider.ts'
import { type Command, type Context, textFlag } from '../command.ts'
import { durationOf } from '../duration.ts'
import { type CliFailure, failed } from '../failure.ts'
import { openHub, requireInstalled } from '../hub/hub.ts'
import { untilAborted } from '../interrupt.ts'
import { sourceCache } from '../local/cache.ts'

/** `lockstep controller`. */
export const controller: Command = {
  name: 'controller',
  summary: 'Run the controllers against a hub until interrupted',
  detail:
    'Logs JSON lines on standard error. Run one at a time for a hub. --credential-provider names a JSON file with programs that give credentials: {"providers": [{"name": "gke", "execConfig": {"apiVersion": "client.authentication.k8s.io/v1", "command": "gke-gcloud-auth-plugin", "env": [], "provideClusterInfo": true}}]}. A ClusterProfile that offers one of these names, or a cluster Secret of Argo CD with that command (for awsAuthConfig: aws), is reached by it; the program gets PATH and this env only.',
  options: [
    {
      flags: '--credential-provider <file>',
      text: 'programs that give credentials for clusters',
      completes: 'file',
    },
    {
      flags: '--orphan-retention <duration>',
      text: 'how long what is left of a cluster that is gone is kept',
      default: '720h',
    },
    {
      flags: '--max-removal <amount>',
      text: 'how many of its clusters a module may leave at once, from 5 on',
      default: '50%',
    },
  ],
  log: 'info',
  formats: ['table'],
  examples: [
    ['With the current context', 'controller'],
    ['Against a hub by name, with all details', 'controller --context hub -v'],
  ],
  async run(c, _args, flags) {
    const retention = durationOf('orphan-retention', textFlag(flags, 'orphanRetention') ?? '720h')
    if (!retention.ok) return retention
    const maxRemoval = amountIn('max-removal', textFlag(flags, 'maxRemoval') ?? '50%')
    if (!maxRemoval.ok) return maxRemoval
    const providers = await readProviders(c, textFlag(flags, 'credentialProvider'))
    if (!providers.ok) return providers
    const hub = await openHub(c, 'lockstep-controller')
    if (!hub.ok) return hub
    const installed = await requireInstalled(c, hub.value)
    if (!installed.ok) return installed
    const { startManager } = await import('../../controllers/manager.ts')
    const manager = startManager(c.env, hub.value.client, {
      cacheDir: sourceCache(c.host),
      providers: providers.value,
      orphanRetentionMs: retention.value,
      maxRemoval: maxRemoval.value,
    })
    c.env.log.info('controller started', { hub: hub.value.server })
    void manager.started.then(() => c.env.log.info('caches complete'))
    await untilAborted(c.signal)
    c.env.log.info('controller stops')
    manager.stop()
    await hub.value.client.close()
    return { ok: true, value: 130 }
  },
}

/** A number of clusters, or a percentage. */
function amountIn(flag: string, text: string): Result<string, CliFailure> {
  if (/^([0-9]{1,9}|[0-9]{1,2}%|100%)$/.test(text)) return { ok: true, value: text }
  return failed('E_USAGE', {
    problem: `--${flag} ${text} is no number of clusters`,
    suggestion: 'For example 50%, or 20.',
  })
}

async function readProviders(c: Context, path: string | undefined): Promise<Result<Providers, CliFailure>> {
  if (path === undefined) return { ok: true, value: noProviders }
  const read = await c.env.files.read(isAbsolute(path) ? path : join(c.host.cwd, path))
  if (!read.ok)
    return failed('E_FILE_READ', {
      path,
      problem: read.error.kind === 'NotFound' ? 'does not exist' : read.error.message,
    })
  const providers = parseProviders(path, new TextDecoder().decode(read.value))
  return providers.ok ? providers : failed('E_PROVIDER_FILE', { path, problem: providers.error })
}
