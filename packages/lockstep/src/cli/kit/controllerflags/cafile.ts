/** `--ca-file`: authorities of an organization, for all connections that have none of their own. */
import type { Env, Result } from '@lockstep/kube/env'
import { type CliFailure, type Flags, failed, type Option } from '../index.ts'

export const caFileOption: Option = {
  flags: '--ca-file <path>',
  text: 'further authorities in PEM for sources, Git hosts and API servers',
  repeats: true,
}

/** The text of all files. Empty: none is named. */
export async function authoritiesOf(
  { files }: Pick<Env, 'files'>,
  flags: Flags,
): Promise<Result<string, CliFailure>> {
  const texts: string[] = []
  for (const path of (flags.caFile ?? []) as readonly string[]) {
    const read = await files.read(path)
    const text = read.ok ? new TextDecoder().decode(read.value) : ''
    const problem = read.ok ? problemOf(text) : read.error.message
    if (problem !== undefined)
      return failed('E_USAGE', {
        problem: `--ca-file ${path}: ${problem}`,
        suggestion: 'name a file of certificates in PEM',
      })
    texts.push(text.trimEnd())
  }
  return { ok: true, value: texts.join('\n') }
}

const problemOf = (text: string): string | undefined =>
  /-----BEGIN CERTIFICATE-----/.test(text) ? undefined : 'has no certificate in PEM'
