/** Where a repository comes from, as its own files say it. */

/** `url` of remote `origin` in the text of `.git/config`. */
export function gitOriginIn(config: string): string | undefined {
  let isOrigin = false
  for (const line of config.split(/\r?\n/).map((l) => l.trim())) {
    if (line.startsWith('[')) isOrigin = /^\[remote\s+"origin"\]/.test(line)
    const url = isOrigin ? /^url\s*=\s*(\S+)$/.exec(line)?.[1] : undefined
    if (url !== undefined) return url.replace(/^"|"$/g, '')
  }
  return undefined
}

const SCP = /^(?:([A-Za-z0-9._-]+)@)?([A-Za-z0-9.-]+):(?!\/\/)\/?(.+)$/
const CREDENTIALS = /^(https?:\/\/)[^/@]*@/

/** As `source.git.url` takes it: never with somebody's credentials. */
export function sourceUrlOf(remote: string): string {
  const [, user = 'git', host, path] = SCP.exec(remote) ?? []
  if (host !== undefined) return `ssh://${user}@${host}/${path}`
  return remote.replace(CREDENTIALS, '$1').replace(/^(ssh:\/\/[^/:@]*):[^/@]*@/, '$1@')
}

/** In the text of `HEAD`; undefined: it is on none. */
export const branchIn = (head: string): string | undefined => /^ref: refs\/heads\/(\S+)\s*$/.exec(head)?.[1]
