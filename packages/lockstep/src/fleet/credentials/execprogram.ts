import type { JsonValue } from '@lockstep/kube/object'

/** A client-go credential plugin (`client.authentication.k8s.io`). */
export interface ExecProgram {
  /** Owner of the program, for messages: `credential provider gke`, `context eks`. */
  readonly owner: string
  readonly apiVersion: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The program learns for which cluster it is. */
  readonly provideClusterInfo: boolean
  /** Settings of the cluster for the program, beside address and CA. */
  readonly config?: JsonValue
  /** Set by a kubeconfig of people: the program gets their variables and terminal. Absent: `PATH` and `env` only. */
  readonly person?: PersonProgram
}

export interface PersonProgram {
  readonly interactiveMode: InteractiveMode
  /** Shown where the program is missing. */
  readonly installHint?: string
}

export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always'

/** Versions of ExecCredential that are understood. */
export const EXEC_API_VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]
