/** Flux (*.toolkit.fluxcd.io): the conditions of its `pkg/apis/meta`, and `spec.suspend` of all its kinds. */
import { type KindRule, type KindRules, on, otherwise, when, words } from './kindrule.ts'

const rules: readonly KindRule[] = [
  ...words('spec.suspend', { Suspended: [true] }, 'spec.suspend is true'),
  on('Ready=True & Reconciling=True', 'Progressing', '{conditions.Reconciling.reason}'),
  on('Ready=True', 'Healthy', '{condition.reason}'),
  // It is tried again as soon as the other one is ready.
  on('Ready=False/DependencyNotReady', 'Progressing', '{condition.message}'),
  on('Ready=False', 'Degraded', '{condition.reason}: {condition.message}'),
  on('Ready=Unknown', 'Progressing', '{condition.reason}'),
  otherwise('Progressing', 'Waiting for its controller'),
]

/** Kinds that are only read by a controller, and have no status. */
const STATIC = ['Alert', 'Provider']

export const fluxHealthRules: readonly KindRules[] = [
  {
    group: 'notification.toolkit.fluxcd.io',
    kinds: STATIC,
    rules: [...words('spec.suspend', { Suspended: [true] }, 'spec.suspend is true'), otherwise('Healthy')],
  },
  { group: '*.toolkit.fluxcd.io', kinds: '*', rules },
  {
    // Flux Operator suspends by an annotation.
    group: 'fluxcd.controlplane.io',
    kinds: '*',
    rules: [
      when(
        "metadata.?annotations[?'fluxcd.controlplane.io/reconcile'].orValue('') == 'disabled'",
        'Suspended',
        'fluxcd.controlplane.io/reconcile is disabled',
      ),
      ...rules.slice(1),
    ],
  },
]
