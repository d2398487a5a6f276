/** Units of a comparison: each has a ConfigMap, a ServiceAccount, a Service and a Deployment without replicas. */
import type { JsonObject } from '../../packages/kube/src/object/index.ts'

export type LayoutName = 'wide' | 'chain' | 'diamond'

const inNamespace = (name: string, version: string) => ({
  name,
  namespace: 'default',
  annotations: { version },
})

/** All four differ between versions. */
export const unitObjects = (name: string, version: string): readonly JsonObject[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: inNamespace(name, version), data: { version } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace(name, version) },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: inNamespace(name, version),
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inNamespace(name, version),
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'a', image: `example.test/a:${version}` }] },
      },
    },
  },
]

export interface LayoutUnit {
  readonly name: string
  /** Names of the units that it needs. */
  readonly needs: readonly string[]
}

/** `chain`: each needs the one before; `diamond`: all but the first need it, and the last needs all of these. */
export function layoutOf(layout: LayoutName, units: number): LayoutUnit[] {
  const names = Array.from({ length: units }, (_, i) => `u${i}`)
  return names.map((name, i) => ({ name, needs: needsOf(layout, names, i) }))
}

function needsOf(layout: LayoutName, names: readonly string[], i: number): readonly string[] {
  if (layout === 'wide' || i === 0) return []
  if (layout === 'chain') return [names[i - 1]!]
  return i === names.length - 1 ? names.slice(1, -1) : [names[0]!]
}
