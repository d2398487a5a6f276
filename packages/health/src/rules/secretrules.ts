/** Where Secrets come from, and what polices them: External Secrets, Sealed Secrets, 1Password, Kyverno, Keycloak. */
import { absent, type KindRules, on, otherwise, stale, when, words } from './kindrule.ts'

export const secretRules: readonly KindRules[] = [
  {
    group: 'external-secrets.io',
    kinds: ['ClusterExternalSecret'],
    rules: [
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      // Before version 0.9.
      on('NotReady=True', 'Degraded'),
      on('PartiallyReady=True', 'Degraded'),
      otherwise('Progressing', 'Waiting for {kind}'),
    ],
  },
  {
    group: 'external-secrets.io',
    kinds: ['ClusterPushSecret', 'ClusterSecretStore', 'ExternalSecret', 'PushSecret', 'SecretStore'],
    rules: [
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for {kind}'),
    ],
  },
  {
    // The first External Secrets, which put all into one word.
    group: 'kubernetes-client.io',
    kinds: ['ExternalSecret'],
    rules: [
      ...words('status.status', { Healthy: ['SUCCESS'] }, 'Fetched ExternalSecret.'),
      when(
        "status.?status.orValue('').startsWith('ERROR')",
        'Degraded',
        "{status.status.replace('ERROR, ', '')}",
      ),
      otherwise('Progressing', 'Waiting for ExternalSecret.'),
    ],
  },
  {
    group: 'bitnami.com',
    kinds: ['SealedSecret'],
    rules: [
      stale('Waiting for Sealed Secret to be decrypted'),
      on('Synced=True', 'Healthy'),
      on('Synced=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for Sealed Secret to be decrypted'),
    ],
  },
  {
    group: 'onepassword.com',
    kinds: ['OnePasswordItem'],
    rules: [
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for controller to report status'),
    ],
  },
  {
    group: 'kyverno.io',
    kinds: ['ClusterPolicy', 'Policy'],
    rules: [
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for Policy to be ready'),
    ],
  },
  {
    group: 'k8s.keycloak.org',
    kinds: ['Keycloak', 'KeycloakRealmImport'],
    rules: [
      on('HasErrors=True', 'Degraded', 'Has Errors: {condition.message}'),
      on('Ready=True', 'Healthy', ''),
      on('Done=True', 'Healthy', ''),
      absent('status.conditions', 'Progressing', 'Waiting for the operator'),
      otherwise('Progressing', '{conditions.Ready.message}'),
    ],
  },
]
