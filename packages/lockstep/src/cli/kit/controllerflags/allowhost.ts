/** `--allow-host`: hosts of this machine or its link that objects of namespaces may name. */

import { type AllowedHost, parseAllowedHost, type Result } from '@lockstep/kube/env'
import { type CliFailure, type Flags, failed, type Option } from '../index.ts'

export const allowHostOption: Option = {
  flags: '--allow-host <host>',
  text: 'loopback or link-local host for namespaces, as [NAMESPACE=]HOST:PORT or CIDR',
  repeats: true,
}

export function allowHostsOf(flags: Flags): Result<AllowedHost[], CliFailure> {
  const texts = (flags.allowHost ?? []) as readonly string[]
  const all: AllowedHost[] = []
  for (const text of texts) {
    const parsed = parseAllowedHost(text)
    if (!parsed.ok)
      return failed('E_USAGE', {
        problem: `--allow-host ${text}: ${parsed.error}`,
        suggestion: 'for example: team-a=127.0.0.1:8443, or 169.254.10.0/24',
      })
    all.push(parsed.value)
  }
  return { ok: true, value: all }
}
