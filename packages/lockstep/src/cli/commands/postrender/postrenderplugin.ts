/** The plugin with which Helm 4 starts us: it takes no path of a program any more. */
import { join } from 'node:path'
import { encodeYaml } from '@lockstep/kube/object'
import { pathFrom } from '../../kit/documents/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  listFlag,
  lockstepVersion,
  textFlag,
} from '../../kit/index.ts'

/**
 * Only the fields that a plugin of this type needs: Helm refuses others. Helm finds the command on PATH, and adds what
 * stands behind --post-renderer-args.
 */
const pluginYaml = (version: string, args: readonly string[]): string =>
  encodeYaml({
    apiVersion: 'v1',
    type: 'postrenderer/v1',
    name: 'lockstep',
    version,
    runtime: 'subprocess',
    runtimeConfig: { platformCommand: [{ command: 'lockstep', args: ['post-render', ...args] }] },
  })

/** The flags that were given, for every run of the plugin. */
export function pluginArguments(c: CommandContext, flags: Flags): string[] {
  const text = (name: string, flag: string): string[] => {
    const value = textFlag(flags, name)
    return value === undefined ? [] : [flag, value]
  }
  return [
    ...(flags.strategy === 'name' ? ['--strategy', 'name'] : []),
    ...text('release', '--release'),
    ...(c.globals.namespace === undefined ? [] : ['--namespace', c.globals.namespace]),
    ...listFlag(flags, 'keepSource').flatMap((name) => ['--keep-source', name]),
    ...(isSet(flags, 'additiveGate') ? ['--additive-gate'] : []),
    ...(isSet(flags, 'strict') ? ['--strict'] : []),
  ]
}

export async function writePostRenderPlugin(
  c: CommandContext,
  dir: string,
  args: readonly string[],
): Promise<CommandResult> {
  const version = await lockstepVersion(c)
  if (!version.ok) return version
  const path = join(pathFrom(c, dir), 'plugin.yaml')
  const wrote = await c.env.files.writeAtomic(path, pluginYaml(version.value, args))
  if (!wrote.ok) return failed('E_FILE_WRITE', { path, problem: wrote.error.message })
  c.terminal.print(`${path} written. Next: helm plugin install ${dir}`)
  return { ok: true, value: 0 }
}
