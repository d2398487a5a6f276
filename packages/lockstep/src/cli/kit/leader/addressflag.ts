/** Flags whose value is an address to listen on. */
import type { NetFailure, Result } from '@lockstep/kube/env'
import { type CliFailure, failed } from '../index.ts'

export interface ListenAddress {
  /** Empty: all addresses. */
  readonly host: string
  readonly port: number
}

/** `HOST:PORT`, `[IPv6]:PORT` or `:PORT`. `flag`: its name without dashes. */
export function addressFlag(flag: string, text: string): Result<ListenAddress, CliFailure> {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits !== undefined && port <= 65_535)
    return { ok: true, value: { host: bracketed || plain || '', port } }
  return failed('E_USAGE', {
    problem: `--${flag} ${text}: must be an address with a port`,
    suggestion: 'for example: 127.0.0.1:8082, or :8082 for all addresses',
  })
}

export const listenFailed = (flag: string, { host, port }: ListenAddress, { detail }: NetFailure) =>
  failed('E_PORT_IN_USE', {
    address: `${host}:${port}`,
    problem: detail,
    suggestion: `choose another one with --${flag}`,
  })
