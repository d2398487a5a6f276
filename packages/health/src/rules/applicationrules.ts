/** Applications with an operator of their own: 3scale, Camel K, OpenFaaS, Proclaim, Pulumi. */
import { type KindRule, type KindRules, on, otherwise, when, words } from './kindrule.ts'

/** 3scale: conditions Failed, Invalid, Orphan, Ready or Synced; what is suspended has a state that says so. */
const threescale: readonly KindRule[] = [
  on('Failed=True', 'Degraded'),
  on('Invalid=True', 'Degraded'),
  on('Orphan=True', 'Degraded'),
  on('Waiting=True', 'Suspended'),
  ...words('status.state', { Suspended: ['suspended'] }, '3scale {kind} is suspended'),
  ...words(
    'status.developerUserState',
    { Suspended: ['suspended'] },
    '3scale Developer user is waiting for admin approval',
  ),
  on('In-progress=True', 'Progressing'),
  on('Ready=True', 'Healthy', '3scale {kind} is ready'),
  on('Synced=True', 'Healthy', '3scale {kind} is synced'),
  otherwise('Progressing', 'Waiting for 3scale {kind} status...'),
]

export const applicationRules: readonly KindRules[] = [
  { group: 'capabilities.3scale.net', kinds: '*', rules: threescale },
  {
    group: 'apps.3scale.net',
    kinds: ['APIManager'],
    rules: [
      on('Available=True', 'Healthy', '3scale APIManager is available'),
      when(
        "status.?conditions.orValue([]).exists(c, c.type == 'Available' && c.status == 'False' && c.?reason.orValue('') != '')",
        'Degraded',
        '3scale APIManager is degraded: {conditions.Available.reason}',
      ),
      otherwise('Progressing', 'Waiting for 3scale APIManager status...'),
    ],
  },
  {
    group: 'camel.apache.org',
    kinds: ['Integration', 'IntegrationKit', 'IntegrationPlatform', 'Kamelet', 'Pipe'],
    rules: [
      ...words(
        'status.phase',
        { Degraded: ['Error', 'Cannot Build', 'Duplicate'] },
        '{conditions.Ready.message|It has failed}',
      ),
      // It runs, and its Pods are being replaced.
      on('Ready=False', 'Progressing'),
      ...words('status.phase', { Healthy: ['Running', 'Ready'] }, '{kind} is {status.phase}'),
      otherwise('Progressing', 'Waiting for {kind}'),
    ],
  },
  {
    group: 'camel.apache.org',
    kinds: ['Build'],
    rules: [
      ...words('status.phase', { Healthy: ['Succeeded'] }, 'Build is {status.phase}'),
      ...words(
        'status.phase',
        { Degraded: ['Error', 'Failed', 'Interrupted'] },
        '{status.error|The build has failed}',
      ),
      otherwise('Progressing', 'Waiting for Build'),
    ],
  },
  {
    group: 'openfaas.com',
    kinds: ['Function'],
    rules: [
      on('Ready=True & Healthy!=False', 'Healthy'),
      on('Ready=True & !Healthy', 'Healthy'),
      on('Stalled=True', 'Degraded'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', '{conditions.Healthy.message|Waiting for Function}'),
    ],
  },
  {
    // Adopted, advertised, discoverable: one after the other.
    group: 'proclaim.dogmatiq.io',
    kinds: ['DNSSDServiceInstance'],
    rules: [
      on('Adopted=False', 'Degraded'),
      on('Advertised=False', 'Degraded'),
      on('Discoverable=True', 'Healthy'),
      on('Discoverable=False', 'Progressing'),
      on('Discoverable=Unknown', 'Unknown'),
      otherwise('Progressing', 'Waiting for a provider'),
    ],
  },
  {
    group: 'pulumi.com',
    kinds: ['Stack'],
    rules: [
      on('Stalled=True', 'Degraded'),
      on('Reconciling=True', 'Progressing'),
      on('Ready=True', 'Healthy'),
      on('Ready=False', 'Degraded'),
      otherwise('Progressing', 'Waiting for the stack'),
    ],
  },
]
