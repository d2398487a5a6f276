/** The graph of units: edges are kept per module and opened per cluster. */

/** A Module or BootstrapModule of one namespace. */
export interface ModuleRef {
  readonly kind: 'Module' | 'BootstrapModule'
  readonly namespace: string
  readonly name: string
}

/** An edge of `spec.dependsOn`. */
export interface Edge {
  readonly id: string
  readonly to: ModuleRef
  readonly release: 'Same' | 'Any'
  readonly optional: boolean
}

/** `Module/cert-manager`: as messages name it, within a namespace. */
export const moduleText = (m: ModuleRef): string => `${m.kind}/${m.name}`

/** `Module/platform/cert-manager`: unique on the hub. */
export const moduleId = (m: ModuleRef): string => `${m.kind}/${m.namespace}/${m.name}`
