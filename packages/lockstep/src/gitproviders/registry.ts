/** The hosts that there are. One more is a file beside this one, and a line here. */

import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { type GitProviderKind, providerAddress } from './api/address.ts'
import { providerCredentials } from './api/credentials.ts'
import type { GitProviderOptions } from './api/pullrequestrules.ts'
import { Gitea } from './gitea/gitea.ts'
import { GitHub } from './github/github.ts'
import { GitLab } from './gitlab/gitlab.ts'
import type { GitProvider } from './gitprovider.ts'

const HOSTS: Readonly<Record<GitProviderKind, (o: GitProviderOptions) => GitProvider>> = {
  github: (o) => new GitHub(o),
  gitlab: (o) => new GitLab(o),
  gitea: (o) => new Gitea(o),
}

/** Settings of `spec.environments[].promotion.pullRequest`. */
export interface GitProviderSettings {
  readonly provider: GitProviderKind
  readonly url: string
  readonly apiUrl?: string | undefined
  readonly baseBranch: string
}

/** Nothing is sent yet. The problem is for people: it names the field, or the key of the Secret. */
export function connectGitProvider(
  env: Env,
  settings: GitProviderSettings,
  secret: Secret,
): Result<GitProvider, string> {
  const address = providerAddress(settings.provider, settings.url, settings.apiUrl)
  if (!address.ok) return err(address.error)
  const credentials = providerCredentials(settings.provider, secret)
  if (!credentials.ok) return err(credentials.error)
  const { baseBranch } = settings
  const by = { namespace: secret.metadata.namespace ?? '' }
  const options = { env, by, address: address.value, baseBranch, credentials: credentials.value }
  return ok(HOSTS[settings.provider](options))
}
