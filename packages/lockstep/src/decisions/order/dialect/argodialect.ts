/** Argo CD (gitops-engine `pkg/sync`, docs `sync-waves.md`, `sync-options.md`). */
import type { HookPolicy } from '../ordergraph.ts'
import type { OrderOptions } from '../orderoptions.ts'
import {
  type AnnotationReader,
  type HookText,
  integer,
  keysOf,
  noEffect,
  type OrderDialect,
  wordsOf,
} from './orderdialect.ts'

const PHASES = {
  PreSync: 'PreSync',
  Sync: 'Sync',
  PostSync: 'PostSync',
  SyncFail: 'SyncFail',
  PreDelete: 'PreDelete',
  PostDelete: 'PostDelete',
  Skip: 'Skip',
} as const

const POLICIES: Readonly<Record<HookPolicy, HookPolicy>> = {
  BeforeHookCreation: 'BeforeHookCreation',
  HookSucceeded: 'HookSucceeded',
  HookFailed: 'HookFailed',
}

/** A list of phases; `Skip` counts only alone. What is unknown would never be applied, without a word. */
export const argoHook: AnnotationReader = (value) => {
  const words = wordsOf(value, PHASES)
  if (!words) return { allowed: Object.keys(PHASES).join(', ') }
  const runs = [...new Set(words)].flatMap((phase) =>
    phase === 'Skip' ? [] : [{ phase, when: 'always' as const }],
  )
  const said: HookText = { runs, ignored: runs.length === 0 }
  return { hook: said }
}

export const argoHookDeletePolicy: AnnotationReader = (value) => {
  const policy = wordsOf(value, POLICIES)
  return policy ? { policy } : { allowed: Object.keys(POLICIES).join(', ') }
}

const OPTIONS: Readonly<Record<string, Partial<Omit<OrderOptions, 'mode'>>>> = {
  'Prune=false': { prune: false },
  'Prune=confirm': { confirm: ['Prune'] },
  'Delete=false': { delete: false },
  'Delete=confirm': { confirm: ['Delete'] },
  'Force=true': { replaceImmutable: true },
  'Validate=false': { validate: 'Warn' },
}

/** Options that are not listed are always so with us, or mean nothing without an Application. */
const syncOptions: AnnotationReader = (value) => {
  const words = value.split(',').map((w) => w.trim())
  const confirm = words.flatMap((w) => at(w)?.confirm ?? [])
  const options = Object.assign({}, ...words.map((w) => at(w) ?? {}), confirm.length > 0 ? { confirm } : {})
  return { options, ...(words.includes('Replace=true') ? { mode: 'Replace' as const } : {}) }
}

const at = (word: string) => (Object.hasOwn(OPTIONS, word) ? OPTIONS[word] : undefined)

export const argoDialect: OrderDialect = {
  name: 'Argo',
  keys: keysOf({
    'argocd.argoproj.io/sync-wave': (value) => ({ wave: { number: integer(value) } }),
    'argocd.argoproj.io/hook': argoHook,
    'argocd.argoproj.io/hook-delete-policy': argoHookDeletePolicy,
    'argocd.argoproj.io/sync-options': syncOptions,
    'argocd.argoproj.io/compare-options': noEffect,
    'argocd.argoproj.io/ignore-restart-policy': (value) =>
      value === 'true' ? { options: { ignoreRestartPolicy: true } } : {},
  }),
}
