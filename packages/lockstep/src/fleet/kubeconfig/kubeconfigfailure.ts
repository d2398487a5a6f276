import { err } from '@lockstep/kube/env'

export interface KubeconfigFailure {
  /** Absolute path of the file; absent: the text is not of a file. */
  readonly path?: string
  /** `users[0].user.exec`; empty for the text as a whole. */
  readonly field: string
  readonly message: string
}

/** Failure at a field of a file. */
export const kubeconfigFailure = (path: string | undefined, field: string, message: string) =>
  err<KubeconfigFailure>({ ...(path === undefined ? {} : { path }), field, message })

/** `users[0].user.exec.command: is missing`. */
export const kubeconfigFailureText = ({ field, message }: KubeconfigFailure): string =>
  field === '' ? message : `${field}: ${message}`
