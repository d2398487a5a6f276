/** Where the credential for an API server is read. A source is a plain value without a secret of a file: another thread can have it. */
import type { Endpoint } from '@lockstep/kube/env'
import type { KubeconfigSelection } from '../kubeconfig/kubeconfigselection.ts'
import type { ExecProgram } from './execprogram.ts'

export type CredentialSource = DirectSource | KubeconfigSource

/** A source whose server is known. */
export type DirectSource = StaticSource | FilesSource | ExecSource

/** Values of a Secret, or of a kubeconfig that was just read. */
export interface StaticSource {
  readonly type: 'Static'
  readonly endpoint: Endpoint
}

export interface FilesSource {
  readonly type: 'Files'
  readonly endpoint: Endpoint
  readonly files: CredentialFiles
}

export interface ExecSource {
  readonly type: 'Exec'
  readonly endpoint: Endpoint
  /** Files of the server's CA. */
  readonly files: CredentialFiles
  readonly program: ExecProgram
}

/** Kubeconfig files, merged; what their context names is read with them. */
export interface KubeconfigSource {
  readonly type: 'Kubeconfig'
  /** Absolute paths. */
  readonly paths: readonly string[]
  readonly selection: KubeconfigSelection
}

/** Absolute paths of PEM files and of a token. Their content replaces that of the endpoint. */
export interface CredentialFiles {
  readonly token?: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}
