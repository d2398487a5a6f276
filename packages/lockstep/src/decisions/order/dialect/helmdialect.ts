/** Helm (`pkg/action/hooks.go`, `pkg/release/v1`). Its values are read without regard to case and blanks, as Helm does. */
import type { HookPhase, HookPolicy, HookResult, HookTrigger } from '../ordergraph.ts'
import { type AnnotationReader, integer, keysOf, type OrderDialect, wordsOf } from './orderdialect.ts'

type HelmHookRun = { readonly phase: HookPhase; readonly when: HookTrigger } | 'test' | 'plain'

const EVENTS: Readonly<Record<string, HelmHookRun>> = {
  'pre-install': { phase: 'PreSync', when: 'install' },
  'post-install': { phase: 'PostSync', when: 'install' },
  'pre-upgrade': { phase: 'PreSync', when: 'upgrade' },
  'post-upgrade': { phase: 'PostSync', when: 'upgrade' },
  'pre-rollback': { phase: 'PreSync', when: 'rollback' },
  'post-rollback': { phase: 'PostSync', when: 'rollback' },
  'pre-delete': { phase: 'PreDelete', when: 'always' },
  'post-delete': { phase: 'PostDelete', when: 'always' },
  test: 'test',
  'test-success': 'test',
  'crd-install': 'plain',
}

/** Tests are not run; what was installed before all else by Helm 2 is a plain object. */
const hook: AnnotationReader = (value) => {
  const events = wordsOf(value.toLowerCase(), EVENTS)
  if (!events) return { allowed: Object.keys(EVENTS).join(', ') }
  const runs = events.flatMap((e) => (typeof e === 'string' ? [] : [e]))
  return { hook: { runs, ignored: runs.length === 0 && !events.includes('plain') } }
}

const POLICIES: Readonly<Record<string, HookPolicy>> = {
  'before-hook-creation': 'BeforeHookCreation',
  'hook-succeeded': 'HookSucceeded',
  'hook-failed': 'HookFailed',
}

const hookDeletePolicy: AnnotationReader = (value) => {
  const policy = wordsOf(value.toLowerCase(), POLICIES)
  return policy ? { policy } : { allowed: Object.keys(POLICIES).join(', ') }
}

const RESULTS: Readonly<Record<string, HookResult>> = {
  'hook-succeeded': 'Succeeded',
  'hook-failed': 'Failed',
}

const hookOutputLogPolicy: AnnotationReader = (value) => {
  const outputs = wordsOf(value.toLowerCase(), RESULTS)
  return outputs ? { outputs } : { allowed: Object.keys(RESULTS).join(', ') }
}

const resourcePolicy: AnnotationReader = (value) =>
  value.trim().toLowerCase() === 'keep' ? { options: { prune: false, delete: false } } : { allowed: 'keep' }

export const helmDialect: OrderDialect = {
  name: 'Helm',
  keys: keysOf({
    'helm.sh/hook': hook,
    'helm.sh/hook-weight': (value) => {
      const weight = integer(value)
      return weight === undefined ? {} : { weight }
    },
    'helm.sh/hook-delete-policy': hookDeletePolicy,
    'helm.sh/hook-output-log-policy': hookOutputLogPolicy,
    'helm.sh/resource-policy': resourcePolicy,
  }),
}
