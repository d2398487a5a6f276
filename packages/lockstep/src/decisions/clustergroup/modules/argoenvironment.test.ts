import { expect, it } from 'vitest'
import { substituteEnvironment } from './argoenvironment.ts'

const E = {
  name: 'vault',
  namespace: 'vault-ns',
  project: 'hub',
  repoURL: 'https://git/p',
  path: 'charts/vault',
  targetRevision: 'main',
}

it.each([
  ['$ARGOCD_APP_NAMESPACE', 'vault-ns'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as Argo CD writes it
  ['a-${ARGOCD_APP_NAME}-b', 'a-vault-b'],
  ['$ARGOCD_APP_PROJECT_NAME/$ARGOCD_APP_SOURCE_PATH', 'hub/charts/vault'],
  ['$ARGOCD_APP_SOURCE_REPO_URL@$ARGOCD_APP_SOURCE_TARGET_REVISION', 'https://git/p@main'],
  ['$$5', '$5'],
  ['5$', '5$'],
  ['plain', 'plain'],
])('%s is %s', (text, to) => expect(substituteEnvironment(text, E)).toEqual({ ok: true, value: to }))

it.each(['$ARGOCD_APP_REVISION', '$HOME', '$toString'])('%s is refused', (text) =>
  expect(substituteEnvironment(text, E)).toMatchObject({
    ok: false,
    error: expect.stringMatching(
      /^\$\w+ is not known to a Module; there are ARGOCD_APP_NAME, .*; write \$\$ for a dollar$/,
    ),
  }),
)
