/** Repositories of this machine: only those below one folder. */
import { type Env, err, ok, type Result } from '@lockstep/kube/env'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { gitPlace } from './gitfault.ts'
import type { GitUrl } from './giturl.ts'

/**
 * The URL with the path that it leads to: links are followed before it is compared. `root` is an absolute path. Fails with
 * `HostRefused` outside of it, whether the path exists or not, and with `SourceUnreachable` for a missing path below it.
 */
export async function belowRoot(
  files: Env['files'],
  url: GitUrl,
  root: string,
): Promise<Result<GitUrl, SourceFailure>> {
  const outside = err(fault('HostRefused', { host: url.text, because: 'Outside', root }))
  const path = pathOf(url)
  if (path === undefined) return outside
  const realRoot = await files.realPath(root)
  if (!realRoot.ok || !(isBelow(path, root) || isBelow(path, realRoot.value))) return outside
  const real = await files.realPath(path)
  if (!real.ok)
    return err(fault('SourceUnreachable', { place: gitPlace(url), because: 'NoRepository', host: '' }))
  return isBelow(real.value, realRoot.value) ? ok({ ...url, text: fileUrl(real.value) }) : outside
}

/** Undefined: it names no path, such as `file://host/path` or one with an escaped slash. */
function pathOf({ text }: GitUrl): string | undefined {
  const { hostname, pathname } = new URL(text)
  if (hostname !== '' || /%2f|%00/i.test(pathname)) return undefined
  try {
    return decodeURIComponent(pathname)
  } catch {
    return undefined
  }
}

/** git decodes it again. */
const fileUrl = (path: string): string => `file://${path.split('/').map(encodeURIComponent).join('/')}`

const isBelow = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
