/** Which hub is meant: `--kubeconfig`, then KUBECONFIG, then `~/.kube/config`. */
import { isAbsolute, join } from 'node:path'
import type { Result } from '@lockstep/kube/env'
import { type KubeconfigTarget, parseKubeconfig } from '../../../fleet/connection/index.ts'
import { type CliFailure, type CommandContext, failed } from '../index.ts'

const OR_UP = 'or serve a fleet on this machine: lockstep up'

export interface FoundTarget extends KubeconfigTarget {
  readonly file: string
}

/** The server and credential of the chosen context. */
export async function findTarget(c: CommandContext): Promise<Result<FoundTarget, CliFailure>> {
  const found = await readKubeconfig(c)
  if (!found.ok) return found
  const { path, text } = found.value
  const target = parseKubeconfig(text, 'File', c.globals.context)
  if (target.ok) return { ok: true, value: { ...target.value, file: path } }
  const { field, message } = target.error
  return refused(path, field === '' ? message : `${field}: ${message}`)
}

/** The first file that is there. */
export async function readKubeconfig(
  c: CommandContext,
): Promise<Result<{ path: string; text: string }, CliFailure>> {
  const { host, globals } = c
  const given = globals.kubeconfig
  const list = (host.variables.KUBECONFIG ?? '').split(':').filter((p) => p !== '')
  const paths = given ? [given] : list.length > 0 ? list : [join(host.home, '.kube', 'config')]
  for (const [i, p] of paths.entries()) {
    const path = isAbsolute(p) ? p : join(host.cwd, p)
    const read = await c.env.files.read(path)
    if (read.ok) return { ok: true, value: { path: p, text: new TextDecoder().decode(read.value) } }
    const isLast = i === paths.length - 1
    if (read.error.kind === 'NotFound' && !isLast) continue
    const from = given ? ' (--kubeconfig)' : list.length > 0 ? ' (KUBECONFIG)' : ''
    const problem = read.error.kind === 'NotFound' ? 'does not exist' : read.error.message
    return refused(p, `${problem}${from}`)
  }
  return refused(paths.join(':'), 'does not exist')
}

function refused(path: string, problem: string) {
  const f = failed('E_KUBECONFIG', { path, problem })
  return { ...f, error: { ...f.error, file: path, hint: `${f.error.hint}; ${OR_UP}` } }
}
