/** Flux (kustomize-controller, fluxcd/pkg `ssa`). Keys are labels too, and values have no case. */
import type { AnnotationEffect, AnnotationReader, OrderDialect } from './orderdialect.ts'
import { keysOf } from './orderdialect.ts'

/** Other values mean nothing to Flux, and nothing to us. */
const folded = (table: Readonly<Record<string, AnnotationEffect>>): AnnotationReader => {
  const byValue = new Map(Object.entries(table))
  return (value) => byValue.get(value.toLowerCase()) ?? {}
}

export const fluxDialect: OrderDialect = {
  name: 'Flux',
  labels: true,
  keys: keysOf({
    'kustomize.toolkit.fluxcd.io/ssa': folded({
      override: { mode: 'Override' },
      merge: { mode: 'Merge' },
      ifnotpresent: { mode: 'IfNotPresent' },
      ignore: { mode: 'Ignore' },
    }),
    'kustomize.toolkit.fluxcd.io/force': folded({ enabled: { options: { replaceImmutable: true } } }),
    'kustomize.toolkit.fluxcd.io/prune': folded({ disabled: { options: { prune: false, delete: false } } }),
    'kustomize.toolkit.fluxcd.io/reconcile': folded({ disabled: { mode: 'Ignore' } }),
  }),
}
