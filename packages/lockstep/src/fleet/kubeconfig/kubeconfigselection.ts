/** Choices of a command line in a kubeconfig. */
import type { AllowedProxies } from './clusterproxy.ts'

/**
 * Whose kubeconfig it is. `Person`: that of a command. `Controller`: that of the controller for its hub. `Secret`: an object on
 * the hub, which must not make the controller run programs, read files of its machine or act as others.
 */
export type KubeconfigTrust = 'Person' | 'Controller' | 'Secret'

/** Names as in kubectl's flags. Paths are absolute. */
export interface KubeconfigSelection {
  readonly trust: KubeconfigTrust
  /** Proxies that the kubeconfig of a `Secret` may name; absent: none. */
  readonly proxies?: AllowedProxies
  /** Absent: the current context. */
  readonly context?: string
  readonly cluster?: string
  readonly user?: string
  readonly server?: string
  readonly token?: string
  readonly as?: string
  readonly asUid?: string
  readonly asGroups?: readonly string[]
  readonly certificateAuthority?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  readonly insecureSkipTlsVerify?: boolean
  readonly tlsServerName?: string
}
