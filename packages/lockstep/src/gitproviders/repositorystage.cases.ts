/** The stage on which the cases of a repository are played. */
import type { TestGitHost } from '../../../simulators/src/githost/githost.ts'
import { type ProviderCredentials, providerCredentials } from './api/credentials.ts'
import { type RepositoryStage, TOKEN } from './gitrepository.cases.ts'
import type { GitRepository } from './gitrepository.ts'

export function credentialsOf(token: string): ProviderCredentials {
  const metadata = { namespace: 'ns', name: 'host' }
  const found = providerCredentials('github', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    data: { token: btoa(token) },
  })
  if (!found.ok) throw new Error(found.error)
  return found.value
}

export function stage(
  double: TestGitHost,
  run: RepositoryStage['run'],
  open: (name: string, credentials: ProviderCredentials) => Promise<GitRepository>,
  close = async () => {},
): RepositoryStage {
  const opened: GitRepository[] = []
  return {
    double,
    repo: double.repository('o/r'),
    async connect({ token = TOKEN, repository = 'o/r' } = {}) {
      const made = await open(repository, credentialsOf(token))
      opened.push(made)
      return made
    },
    run,
    async close() {
      for (const one of opened) await one.close()
      await close()
    },
  }
}
