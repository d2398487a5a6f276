/** cert-manager, of all its groups, and Google's ManagedCertificate. */
import { absent, type KindRule, type KindRules, observedBy, on, otherwise, when, words } from './kindrule.ts'

const certificate: readonly KindRule[] = [
  // While it is issued anew the old one may well be ready.
  on('Issuing=True', 'Progressing'),
  on('Ready=True', 'Healthy'),
  on('Ready=False', 'Degraded'),
  otherwise('Progressing', 'Waiting for certificate'),
]

const issuer: readonly KindRule[] = [
  on('Ready=True', 'Healthy'),
  on('Ready=False', 'Degraded'),
  otherwise('Progressing', 'Initializing issuer'),
]

export const certificateRules: readonly KindRules[] = [
  observedBy('Ready', 'cert-manager.io', ['Certificate']),
  { group: 'cert-manager.io', kinds: ['Certificate'], rules: certificate },
  { group: 'cert-manager.io', kinds: ['Issuer'], rules: issuer },
  {
    group: 'cert-manager.io',
    kinds: ['ClusterIssuer'],
    rules: [...issuer.slice(0, 2), otherwise('Progressing', 'Initializing ClusterIssuer')],
  },
  {
    group: 'cert-manager.io',
    kinds: ['CertificateRequest'],
    rules: [
      on('Denied=True', 'Degraded'),
      on('InvalidRequest=True', 'Degraded'),
      on('Ready=True', 'Healthy'),
      on('Ready=False/Failed', 'Degraded'),
      otherwise('Progressing', '{conditions.Ready.message|Waiting for the issuer}'),
    ],
  },
  // Its name before version 0.11.
  { group: 'certmanager.k8s.io', kinds: ['Certificate'], rules: certificate },
  { group: 'certmanager.k8s.io', kinds: ['Issuer', 'ClusterIssuer'], rules: issuer },
  {
    // `ready` is on the way: all challenges are met, the order is not finalized (its types, after RFC 8555).
    group: 'acme.cert-manager.io',
    kinds: ['Order', 'Challenge'],
    rules: [
      ...words(
        'status.state',
        {
          Healthy: ['valid'],
          Degraded: ['invalid', 'errored', 'expired'],
        },
        '{status.reason}',
      ),
      otherwise('Progressing', '{status.reason|Waiting for the ACME server}'),
    ],
  },
  {
    group: 'networking.gke.io',
    kinds: ['ManagedCertificate'],
    rules: [
      when(
        "status.?domainStatus.orValue([]).exists(d, d.status.startsWith('Failed'))",
        'Degraded',
        "{status.domainStatus.filter(d, d.status.startsWith('Failed')).map(d, d.domain + ': ' + d.status).join('; ')}",
      ),
      ...words('status.certificateStatus', { Healthy: ['Active'] }, 'All certificates are active'),
      absent(
        'status.certificateStatus',
        'Progressing',
        'At least one certificate is still being provisioned',
      ),
      ...words(
        'status.certificateStatus',
        { Progressing: ['Provisioning'] },
        'At least one certificate is still being provisioned',
      ),
      otherwise('Degraded', '{status.certificateStatus}'),
    ],
  },
]
