/** `--argocd-namespaces`: where cluster Secrets of Argo CD count. */

import type { Result } from '@lockstep/kube/env'
import { ARGOCD_NAMESPACES } from '../../../controllers/runtime/index.ts'
import { type CliFailure, type Flags, failed, type Option, textFlag } from '../index.ts'

export const argocdNamespacesOption: Option = {
  flags: '--argocd-namespaces <names>',
  text: 'namespaces whose cluster Secrets of Argo CD are clusters',
  default: ARGOCD_NAMESPACES.join(','),
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

export function argocdNamespacesOf(flags: Flags): Result<string[], CliFailure> {
  const text = textFlag(flags, 'argocdNamespaces') ?? ARGOCD_NAMESPACES.join(',')
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !NAME.test(name))
  if (wrong === undefined) return { ok: true, value: names }
  return failed('E_USAGE', {
    problem: `--argocd-namespaces ${text}: "${wrong}" is not a namespace`,
    suggestion: 'for example: argocd,argocd-eu',
  })
}
