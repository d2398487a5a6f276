/** How a Pipeline of weaveworks promotes: `promotion`, of the pipeline or of an environment. */
import type { JsonObject, YamlPath } from '@lockstep/kube/object'
import type { WeaveFields } from './weavefields.ts'

export interface PromotionRead {
  readonly path: YamlPath
  readonly isManual: boolean
  /** Ours, as it is written down; undefined: it names no strategy. */
  readonly settings: JsonObject | undefined
  /** Has `hmac-key`. */
  readonly hmacSecret: string | undefined
}

/** Undefined: there is none. */
export function readWeavePromotion(f: WeaveFields, path: YamlPath): PromotionRead | undefined {
  if (!f.members(path, ['manual', 'strategy'])) return undefined
  const isManual = f.flag([...path, 'manual'])
  const strategy = [...path, 'strategy']
  const named = f.members(strategy, ['pull-request', 'notification', 'secretRef']) ?? {}
  const block = strategyOf(f, strategy, Object.keys(named))
  return {
    path,
    isManual,
    settings: block && { ...block, ...(isManual ? { approval: 'Required' } : {}) },
    hmacSecret: secretOf(f, [...strategy, 'secretRef'], false),
  }
}

function strategyOf(f: WeaveFields, path: YamlPath, named: readonly string[]): JsonObject | undefined {
  const both = named.includes('pull-request') && named.includes('notification')
  if (both)
    return f.wrong(path, 'StrategyAmbiguous: pull-request and notification are both set: remove one of them')
  if (named.includes('pull-request')) return pullRequestOf(f, [...path, 'pull-request'])
  if (!named.includes('notification')) return undefined
  f.members([...path, 'notification'], [])
  // The same Event, reason Promote; somebody else's controller sends it on.
  return { strategy: 'notification', notification: {} }
}

const PROVIDERS = ['github', 'gitlab']

function pullRequestOf(f: WeaveFields, path: YamlPath): JsonObject {
  f.members(path, ['type', 'url', 'baseBranch', 'secretRef'])
  const type = f.text([...path, 'type'], true)
  if (type !== undefined && !PROVIDERS.includes(type))
    f.wrong([...path, 'type'], `HostUnsupported: ${type}; there is ${PROVIDERS.join(', ')}`)
  const url = f.text([...path, 'url'], true)
  if (url !== undefined && !/^https?:\/\//.test(url))
    f.wrong([...path, 'url'], `${url}: write https://host/owner/repository, other remotes are not asked`)
  const baseBranch = f.text([...path, 'baseBranch'], false)
  const secret = secretOf(f, [...path, 'secretRef'], true)
  return {
    strategy: 'pull-request',
    pullRequest: {
      provider: type ?? '',
      url: url ?? '',
      ...(baseBranch === undefined ? {} : { baseBranch }),
      secretRef: { name: secret ?? '' },
    },
  }
}

function secretOf(f: WeaveFields, path: YamlPath, isRequired: boolean): string | undefined {
  const found = f.members(path, ['name'])
  if (!found) return isRequired && f.value(path) === undefined ? f.wrong(path, 'is missing') : undefined
  return f.text([...path, 'name'], true)
}
