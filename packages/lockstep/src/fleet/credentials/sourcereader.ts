/** The contract of what reads one credential source, again and again. */
import type { Endpoint, NetFailure, Provenance, Result } from '@lockstep/kube/env'

export interface SourceReader {
  /**
   * The present access, read again only where the source is due. `refusal`: how the last one failed, so the source is due.
   * Fails when nothing was ever read.
   */
  read(refusal?: CredentialRefusal): Promise<Result<SourceReading, NetFailure>>
}

/** `Unauthorized`: by status 401. `Tls`: no connection was made: a certificate of either side was not accepted. */
export type CredentialRefusal = 'Unauthorized' | 'Tls'

export interface SourceReading {
  readonly endpoint: Endpoint
  /** Why a part of the source keeps its last value: without secrets. */
  readonly problem?: string
}

export interface ReaderOptions {
  readonly by: Provenance
  /** A person sits there, and programs may ask. */
  readonly hasTerminal: boolean
  /** The source names another server from now on. */
  readonly moved: (problem: string) => void
}

/** Milliseconds until files are read again. */
export const REREAD_MS = 10_000

/** Nothing was sent for want of a credential. */
export const noCredential = (detail: string): NetFailure => ({ phase: 'connect', detail })
